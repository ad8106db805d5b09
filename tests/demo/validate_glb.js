// Validates glTF files with the Khronos validator: node validate_glb.js FILE... Any error fails, warnings are shown.
// SPDX-License-Identifier: MIT
'use strict';
const fs = require('fs');
const validator = require('gltf-validator');

async function validate(path) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {uri: path});
    const {numErrors, numWarnings, messages} = report.issues;
    console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${report.info.animationCount} animations`);
    for (const m of messages.filter(m => m.severity < 2).slice(0, 20)) {
        console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
    }
    return numErrors === 0;
}

Promise.all(process.argv.slice(2).map(validate)).then(
    valid => process.exit(valid.length > 0 && valid.every(Boolean) ? 0 : 1),
    error => { console.error(String(error)); process.exit(1); });

// Says how much a screenshot shows: node picture_colours.js FILE.png prints the number of different colours among its
// pixels, reduced to 4 bits a channel. A blank page has one or two.
// SPDX-License-Identifier: MIT
'use strict';
const fs = require('fs');
const zlib = require('zlib');

function readPng(file) {
    const parts = [];
    let head;
    for (let at = 8; at < file.length;) {
        const size = file.readUInt32BE(at), type = file.toString('latin1', at + 4, at + 8);
        const body = file.subarray(at + 8, at + 8 + size);
        if (type === 'IHDR') head = {width: body.readUInt32BE(0), height: body.readUInt32BE(4), depth: body[8], kind: body[9]};
        if (type === 'IDAT') parts.push(body);
        at += 12 + size;
    }
    return {...head, bytes: zlib.inflateSync(Buffer.concat(parts))};
}

// Undoes the five row filters of PNG in place.
function unfilter(bytes, height, rowSize, step) {
    const paeth = (a, b, c) => {
        const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    };
    for (let y = 0; y < height; y++) {
        const row = y * (rowSize + 1), filter = bytes[row];
        for (let x = 1; x <= rowSize; x++) {
            const left = x > step ? bytes[row + x - step] : 0;
            const up = y > 0 ? bytes[row + x - rowSize - 1] : 0;
            const both = x > step && y > 0 ? bytes[row + x - rowSize - 1 - step] : 0;
            bytes[row + x] += [0, left, up, (left + up) >> 1, paeth(left, up, both)][filter];
        }
    }
}

const png = readPng(fs.readFileSync(process.argv[2]));
const step = png.kind === 6 ? 4 : 3;
if (png.depth !== 8 || (png.kind !== 2 && png.kind !== 6)) throw new Error('expected 8-bit RGB or RGBA');
unfilter(png.bytes, png.height, step * png.width, step);
const colours = new Set();
for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) {
        const at = y * (step * png.width + 1) + 1 + step * x;
        colours.add((png.bytes[at] >> 4) << 8 | (png.bytes[at + 1] >> 4) << 4 | png.bytes[at + 2] >> 4);
    }
}
console.log(colours.size);

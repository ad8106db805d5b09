// The page's own style and script: a WebGL2 viewer in plain JavaScript. Strings by the line, since
// C promises no more than 4095 characters to one literal.
// SPDX-License-Identifier: MIT

#include "common/pictures/viewer_page.h"

const char *const viewer_head[] = {
    "<!DOCTYPE html>\n",
    "<html lang='en'><head><meta charset='utf-8'>\n",
    "<meta name='viewport' content='width=device-width,initial-scale=1'>\n",
    "<style>\n",
    "html,body{margin:0;height:100%;background:#d9dde2;color:#26313b;font:14px "
    "system-ui,sans-serif}\n",
    "body{display:flex;flex-direction:column}\n",
    "#view{flex:1;min-height:0;position:relative}\n",
    "#view "
    "canvas{position:absolute;inset:0;width:100%;height:100%;touch-action:none;cursor:grab}\n",
    "#name{position:absolute;left:14px;top:10px;font-size:18px;font-weight:600;pointer-events:no"
    "ne}\n",
    "#scale{position:absolute;right:14px;top:12px;opacity:.7;pointer-events:none}\n",
    "#sheet{display:none;max-width:100%;margin:auto}\n",
    "#bar{display:flex;gap:12px;align-items:center;padding:8px "
    "14px;background:#fff;border-top:1px solid #d4dae0}\n",
    "#bar button{width:74px;padding:5px;font:inherit;border:1px solid "
    "#b8c2cc;border-radius:5px;background:#f5f7f9}\n",
    "#seek{flex:1}#time{width:150px;text-align:right;font-variant-numeric:tabular-nums}\n",
    "#chart{height:120px;background:#fff}\n",
    "</style></head><body>\n",
    "<div id='view'><canvas id='gl'></canvas><div id='name'></div><div id='scale'></div><img "
    "id='sheet' alt='contact sheet'></div>\n",
    "<div id='bar'><button id='play'>Pause</button><input id='seek' type='range' min='0' "
    "value='0'>\n",
    "<label><input id='open' type='checkbox'> cut obstacles open</label><label><input id='wire' "
    "type='checkbox'> wireframe</label><span id='time'></span></div>\n",
    "<canvas id='chart'></canvas>\n",
    NULL,
};

const char *const viewer_script[] = {
    "'use strict';\n",
    "const $ = id => document.getElementById(id);\n",
    "const frames = scene.frames, count = 3 * scene.vertices;\n",
    "const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));\n",
    "const inflate = async text => new Uint8Array(await new Response(new "
    "Blob([bytes(text)]).stream()\n",
    "    .pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());\n",
    "\n",
    "// Frames: 16-bit positions, low bytes then high bytes, each frame as the difference to the "
    "one before.\n",
    "function unpackFrames(raw) {\n",
    "    const all = new Uint16Array(frames * count);\n",
    "    for (let f = 0; f < frames; f++) {\n",
    "        const low = 2 * f * count, high = low + count, at = f * count;\n",
    "        for (let i = 0; i < count; i++) {\n",
    "            all[at + i] = (raw[low + i] | raw[high + i] << 8) + (f ? all[at - count + i] : "
    "0);\n",
    "        }\n",
    "    }\n",
    "    return all;\n",
    "}\n",
    "\n",
    "// Vector and matrix algebra, column by column.\n",
    "const sub = (a, b) => a.map((x, i) => x - b[i]);\n",
    "const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];\n",
    "const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - "
    "a[1] * b[0]];\n",
    "const unit = a => { const l = Math.hypot(...a) || 1; return a.map(x => x / l); };\n",
    "function multiply(a, b) {\n",
    "    const c = new Float32Array(16);\n",
    "    for (let i = 0; i < 16; i++) for (let k = 0; k < 4; k++) c[i] += a[i % 4 + 4 * k] * b[4 * "
    "(i >> 2) + k];\n",
    "    return c;\n",
    "}\n",
    "function lookAt(eye, to, up) {\n",
    "    const z = unit(sub(eye, to)), x = unit(cross(up, z)), y = cross(z, x);\n",
    "    return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), "
    "-dot(y, eye), -dot(z, eye), 1];\n",
    "}\n",
    "const perspective = (f, aspect, n, r) => [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (n + r) / (n "
    "- r), -1, 0, 0, 2 * n * r / (n - r), 0];\n",
    "const orthographic = r => [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -1 / (2 * r), 0, 0, 0, 0, "
    "1];\n",
    "\n",
    "function vertexNormals(p, triangles, out) {\n",
    "    out.fill(0);\n",
    "    for (let t = 0; t < triangles.length; t += 3) {\n",
    "        const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];\n",
    "        const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];\n",
    "        const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];\n",
    "        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;\n",
    "        for (const i of [a, b, c]) { out[i] += x; out[i + 1] += y; out[i + 2] += z; }\n",
    "    }\n",
    "}\n",
    "// Corners more than 45 degrees apart get vertices of their own, so that smooth normals keep "
    "the creases.\n",
    "function splitCreases(p, triangles) {\n",
    "    const flat = new Float32Array(9), corners = triangles.length, out = {source: [], "
    "triangles: new Uint32Array(corners)}, found = new Map();\n",
    "    for (let i = 0; i < corners; i++) {\n",
    "        const t = i - i % 3, vertex = triangles[i];\n",
    "        if (i == t) {\n",
    "            const q = [0, 1, 2].map(k => Array.from(p.subarray(3 * triangles[t + k], 3 * "
    "triangles[t + k] + 3)));\n",
    "            flat.set(unit(cross(sub(q[1], q[0]), sub(q[2], q[0]))));\n",
    "        }\n",
    "        const groups = found.get(vertex) || found.set(vertex, []).get(vertex);\n",
    "        let group = groups.find(g => dot(g.normal, flat) > .7);\n",
    "        if (!group) { groups.push(group = {normal: flat.slice(0, 3), index: "
    "out.source.length}); out.source.push(vertex); }\n",
    "        out.triangles[i] = group.index;\n",
    "    }\n",
    "    out.positions = new Float32Array(3 * out.source.length);\n",
    "    out.source.forEach((v, i) => out.positions.set(p.subarray(3 * v, 3 * v + 3), 3 * i));\n",
    "    return out;\n",
    "}\n",
    "function edgesOf(triangles) {\n",
    "    const edges = [];\n",
    "    for (let i = 0; i < triangles.length; i++) {\n",
    "        const a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];\n",
    "        if (a < b) edges.push(a, b);\n",
    "    }\n",
    "    return new Uint32Array(edges);\n",
    "}\n",
    "\n",
    "const vertexShader = `#version 300 es\n",
    "layout(location=0) in vec3 position; layout(location=1) in vec3 normal;\n",
    "uniform mat4 camera, light; uniform float nudge; out vec3 at, smoothNormal; out vec4 lit;\n",
    "void main() { at = position; smoothNormal = normal; lit = light * vec4(position, 1.); "
    "gl_Position = camera * vec4(position, 1.); gl_Position.z -= nudge * gl_Position.w; }`;\n",
    "const fragmentShader = `#version 300 es\n",
    "precision highp float; precision highp sampler2DShadow;\n",
    "in vec3 at, smoothNormal; in vec4 lit; out vec4 pixel;\n",
    "uniform vec3 color, eye, sun, middle; uniform float size, grid, texel; uniform int kind; "
    "uniform sampler2DShadow shadow;\n",
    "float reached() {\n",
    "    vec3 p = lit.xyz * .5 + .5; float sum = 0.;\n",
    "    if (any(lessThan(p, vec3(0.))) || any(greaterThan(p, vec3(1.)))) return 1.;\n",
    "    for (int i = 0; i < 24; i++) {\n",
    "        float r = sqrt((float(i) + .5) / 24.) * 7. * texel, a = 2.39996 * float(i);\n",
    "        sum += texture(shadow, vec3(p.xy + r * vec2(cos(a), sin(a)), p.z - .004));\n",
    "    }\n",
    "    return sum / 24.;\n",
    "}\n",
    "void main() {\n",
    "    if (kind == 2) { pixel = vec4(color, 1.); return; }\n",
    "    vec3 view = normalize(at - eye), n = normalize(smoothNormal);\n",
    "    // Cut open: what an obstacle turns to the eye is left out, its far side stays.\n",
    "    if (kind == 3 && dot(n, view) < 0.) discard;\n",
    "    if (dot(n, view) > .25) n = -n;\n",
    "    vec3 base = color; float alpha = 1.;\n",
    "    if (kind == 1) {\n",
    "        n = vec3(0., 1., 0.);\n",
    "        vec2 g = at.xz / grid, w = fwidth(g), d = abs(g - round(g));\n",
    "        vec2 line = (1. - smoothstep(vec2(.011), vec2(.011) + 1.5 * w, d)) * (1. - "
    "smoothstep(.15, .5, w));\n",
    "        base *= 1. - .2 * max(line.x, line.y);\n",
    "        alpha = 1. - smoothstep(1., 6., distance(at.xz, middle.xz) / size);\n",
    "    }\n",
    "    float key = max(dot(n, sun), 0.) * reached(), sky = .5 + .5 * n.y;\n",
    "    float shine = kind != 1 ? .25 * pow(max(dot(n, normalize(sun - view)), 0.), 48.) * key : "
    "0.;\n",
    "    vec3 c = base * (vec3(.16) + vec3(.30, .32, .36) * sky + vec3(1., .95, .86) * key) + "
    "shine;\n",
    "    pixel = vec4(pow(min(c, vec3(1.)), vec3(1. / 2.2)), alpha);\n",
    "}`;\n",
    "\n",
    "function program(gl) {\n",
    "    const p = gl.createProgram();\n",
    "    for (const [type, text] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, "
    "fragmentShader]]) {\n",
    "        const shader = gl.createShader(type);\n",
    "        gl.shaderSource(shader, text); gl.compileShader(shader);\n",
    "        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new "
    "Error(gl.getShaderInfoLog(shader));\n",
    "        gl.attachShader(p, shader);\n",
    "    }\n",
    "    gl.linkProgram(p);\n",
    "    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new "
    "Error(gl.getProgramInfoLog(p));\n",
    "    return p;\n",
    "}\n",
    "function drawable(gl, positions, triangles) {\n",
    "    const o = {positions, triangles, normals: new Float32Array(positions.length), edges: "
    "edgesOf(triangles)};\n",
    "    o.vao = gl.createVertexArray(); gl.bindVertexArray(o.vao);\n",
    "    o.buffers = [0, 1].map(i => {\n",
    "        const b = gl.createBuffer(); gl.bindBuffer(gl.ARRAY_BUFFER, b);\n",
    "        gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0); "
    "return b;\n",
    "    });\n",
    "    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());\n",
    "    const indices = new Uint32Array(triangles.length + o.edges.length);\n",
    "    indices.set(triangles); indices.set(o.edges, triangles.length);\n",
    "    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);\n",
    "    o.upload = () => {\n",
    "        vertexNormals(o.positions, o.triangles, o.normals);\n",
    "        [o.positions, o.normals].forEach((data, i) => {\n",
    "            gl.bindBuffer(gl.ARRAY_BUFFER, o.buffers[i]); gl.bufferData(gl.ARRAY_BUFFER, "
    "data, gl.DYNAMIC_DRAW);\n",
    "        });\n",
    "    };\n",
    "    o.upload();\n",
    "    return o;\n",
    "}\n",
    "\n",
    "function chart(frame) {\n",
    "    const canvas = $('chart'), names = scene.energyNames, values = scene.energies, n = "
    "names.length;\n",
    "    if (!n) { canvas.style.display = 'none'; return; }\n",
    "    const ratio = devicePixelRatio, w = canvas.clientWidth, h = canvas.clientHeight, c = "
    "canvas.getContext('2d');\n",
    "    canvas.width = w * ratio; canvas.height = h * ratio; c.scale(ratio, ratio);\n",
    "    const joules = n - scene.countColumns, drawn = values.filter((_, i) => i % n < joules);\n",
    "    const low = Math.min(...drawn), high = Math.max(...drawn), left = 78, right = 150;\n",
    "    const x = f => left + (w - left - right) * (frames > 1 ? f / (frames - 1) : 0);\n",
    "    const y = v => h - 12 - (h - 24) * (v - low) / (high - low || 1);\n",
    "    c.font = '12px system-ui,sans-serif'; c.fillStyle = '#5a6672'; c.textAlign = 'right';\n",
    "    c.fillText(high.toPrecision(3) + ' J', left - 8, y(high) + 8); "
    "c.fillText(low.toPrecision(3) + ' J', left - 8, y(low));\n",
    "    c.strokeStyle = '#e3e8ec'; c.strokeRect(left, y(high), w - left - right, y(low) - "
    "y(high));\n",
    "    c.textAlign = 'left'; c.lineWidth = 1.6;\n",
    "    names.forEach((name, i) => {\n",
    "        c.strokeStyle = c.fillStyle = scene.energyColors[i];\n",
    "        c.beginPath();\n",
    "        const own = values.filter((_, k) => k % n == i), most = Math.max(...own) || 1;\n",
    "        // Numbers have a scale of their own, from zero to their largest.\n",
    "        const at = v => i < joules ? y(v) : y(low + (high - low) * v / most);\n",
    "        for (let f = 0; f < frames; f++) c.lineTo(x(f), at(own[f]));\n",
    "        const said = i < joules ? name : name + ' ' + own[frame];\n",
    "        c.stroke(); c.fillText(said, w - right + 12, 20 + 15 * i);\n",
    "    });\n",
    "    c.strokeStyle = '#26313b'; c.lineWidth = 1; c.beginPath();\n",
    "    c.moveTo(x(frame), 6); c.lineTo(x(frame), h - 6); c.stroke();\n",
    "}\n",
    "\n",
    "async function start() {\n",
    "    $('name').textContent = scene.title; $('seek').max = frames - 1;\n",
    "    const gl = $('gl').getContext('webgl2', {alpha: false, antialias: true, "
    "preserveDrawingBuffer: true});\n",
    "    if (!gl || typeof DecompressionStream == 'undefined') {\n",
    "        $('gl').style.display = $('bar').style.display = 'none'; $('sheet').style.display = "
    "'block';\n",
    "        $('sheet').src = 'data:image/png;base64,' + sheet; chart(0);\n",
    "        document.title = 'ready ' + frames + ' frames (contact sheet)';\n",
    "        return;\n",
    "    }\n",
    "    const raw = await inflate(data), all = unpackFrames(raw);\n",
    "    const triangles = new Uint32Array(raw.slice(2 * frames * count).buffer);\n",
    "    const still = new Float32Array(bytes(scene.obstaclePositions).buffer);\n",
    "    const stillTriangles = new Uint32Array(bytes(scene.obstacleTriangles).buffer);\n",
    "    const step = scene.upper.map((u, i) => (u - scene.lower[i]) / 65535);\n",
    "    const low = scene.viewLower, high = scene.viewUpper, middle = low.map((l, i) => (l + "
    "high[i]) / 2);\n",
    "    const size = Math.hypot(...sub(high, low)) || 1, p = program(gl), at = {}, focal = 3.9;\n",
    "    for (const u of ['camera', 'light', 'color', 'eye', 'sun', 'middle', 'size', 'grid', "
    "'texel', 'kind', 'shadow', 'nudge']) at[u] = gl.getUniformLocation(p, u);\n",
    "    const first = new Float32Array(count);\n",
    "    for (let i = 0; i < count; i++) first[i] = scene.lower[i % 3] + step[i % 3] * all[i];\n",
    "    const split = splitCreases(first, triangles), splitStill = splitCreases(still, "
    "stillTriangles);\n",
    "    const body = drawable(gl, split.positions, split.triangles), obstacle = drawable(gl, "
    "splitStill.positions, splitStill.triangles);\n",
    "    const r = 9 * size, g = scene.ground, [mx, , mz] = middle;\n",
    "    const floor = drawable(gl, new Float32Array([mx - r, g, mz - r, mx - r, g, mz + r, mx + "
    "r, g, mz + r, mx + r, g, mz - r]), new Uint32Array([0, 1, 2, 0, 2, 3]));\n",
    "    $('scale').textContent = 'grid ' + scene.grid + ' m';\n",
    "\n",
    "    const map = gl.createTexture(), target = gl.createFramebuffer(), cells = 1536;\n",
    "    gl.bindTexture(gl.TEXTURE_2D, map);\n",
    "    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, cells, cells, 0, "
    "gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);\n",
    "    for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, "
    "gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],\n",
    "        [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, "
    "gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]]) "
    "gl.texParameteri(gl.TEXTURE_2D, k, v);\n",
    "    gl.bindFramebuffer(gl.FRAMEBUFFER, target);\n",
    "    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, map, 0);\n",
    "\n",
    "    let frame = 0, playing = true, turn = high[0] - low[0] > 2.5 * (high[2] - low[2]) ? .15 : "
    ".49, tilt = .58, zoom = 1, turned = false, aim = [...middle], away = 2 * size, last = 0;\n",
    "    const direction = () => [Math.sin(turn) * Math.cos(tilt), Math.sin(tilt), Math.cos(turn) "
    "* Math.cos(tilt)];\n",
    "    // What should be seen: points of up to 24 frames, and of the obstacles near them.\n",
    "    const seen = [];\n",
    "    const frameStride = Math.ceil(frames / 24), pointStride = Math.ceil(scene.vertices / "
    "1000);\n",
    "    for (let f = 0; f < frames; f += frameStride) for (let v = 0; v < scene.vertices; v += "
    "pointStride) {\n",
    "        seen.push([0, 1, 2].map(k => scene.lower[k] + step[k] * all[f * count + 3 * v + "
    "k]));\n",
    "    }\n",
    "    for (let i = 0; i < still.length; i += 3) {\n",
    "        const q = [still[i], still[i + 1], still[i + 2]];\n",
    "        if (q.every((x, k) => x >= low[k] && x <= high[k])) seen.push(q);\n",
    "    }\n",
    "    // The middle of what is seen to the middle of the picture, from as near as shows all of "
    "it.\n",
    "    function fitView() {\n",
    "        const aspect = $('gl').clientWidth / $('gl').clientHeight || 1, back = direction();\n",
    "        const right = unit(cross([0, 1, 0], back)), up = cross(back, right), fill = .86;\n",
    "        for (let round = 0; round < 8; round++) {\n",
    "            const range = [[Infinity, -Infinity], [Infinity, -Infinity]];\n",
    "            let needed = .02 * size;\n",
    "            for (const q of seen) {\n",
    "                const d = sub(q, aim), near = dot(d, back);\n",
    "                [right, up].forEach((axis, i) => {\n",
    "                    const offset = dot(d, axis), slope = offset / Math.max(away - near, .02 * "
    "size);\n",
    "                    range[i] = [Math.min(range[i][0], slope), Math.max(range[i][1], "
    "slope)];\n",
    "                    needed = Math.max(needed, near + Math.abs(offset) * focal / fill / (i ? 1 "
    ": aspect));\n",
    "                });\n",
    "            }\n",
    "            const [across, along] = range.map(r => (r[0] + r[1]) / 2 * away);\n",
    "            if (round < 7) aim = aim.map((a, i) => a + across * right[i] + along * up[i]);\n",
    "            away = needed;\n",
    "        }\n",
    "    }\n",
    "    function setFrame(f) {\n",
    "        const whole = Math.floor(f), part = f - whole, a = whole * count, b = Math.min(whole "
    "+ 1, frames - 1) * count;\n",
    "        for (let i = 0, n = body.positions.length; i < n; i++) {\n",
    "            const j = 3 * split.source[(i - i % 3) / 3] + i % 3;\n",
    "            body.positions[i] = scene.lower[i % 3] + step[i % 3] * (all[a + j] + part * "
    "(all[b + j] - all[a + j]));\n",
    "        }\n",
    "        body.upload(); frame = f;\n",
    "        $('seek').value = whole; $('time').textContent = (f / scene.rate).toFixed(3) + ' s   "
    "frame ' + whole;\n",
    "    }\n",
    "    function drawParts() {\n",
    "        gl.bindVertexArray(body.vao);\n",
    "        for (const part of scene.parts) {\n",
    "            gl.uniform3fv(at.color, part.color); gl.drawElements(gl.TRIANGLES, 3 * "
    "part.count, gl.UNSIGNED_INT, 12 * part.first);\n",
    "        }\n",
    "    }\n",
    "    function drawBody(shadows) {\n",
    "        drawParts(); gl.bindVertexArray(obstacle.vao); gl.uniform3f(at.color, .42, .45, "
    ".5);\n",
    "        if (!shadows && $('open').checked) gl.uniform1i(at.kind, 3);\n",
    "        if (stillTriangles.length) gl.drawElements(gl.TRIANGLES, stillTriangles.length, "
    "gl.UNSIGNED_INT, 0);\n",
    "        gl.uniform1i(at.kind, shadows ? 2 : 0);\n",
    "        if (!shadows && $('wire').checked) {\n",
    "            gl.uniform1i(at.kind, 2); gl.uniform3f(at.color, .1, .12, .15); "
    "gl.uniform1f(at.nudge, 4e-4);\n",
    "            for (const o of [body, obstacle]) {\n",
    "                gl.bindVertexArray(o.vao); if (o.edges.length) gl.drawElements(gl.LINES, "
    "o.edges.length, gl.UNSIGNED_INT, 4 * o.triangles.length);\n",
    "            }\n",
    "            gl.uniform1f(at.nudge, 0);\n",
    "        }\n",
    "    }\n",
    "    function draw() {\n",
    "        const canvas = $('gl'), w = canvas.width = canvas.clientWidth * devicePixelRatio, h = "
    "canvas.height = canvas.clientHeight * devicePixelRatio;\n",
    "        const sun = unit([-.45, 1, .55]), reach = away * zoom, back = direction();\n",
    "        const eye = aim.map((a, i) => a + reach * back[i]);\n",
    "        const light = multiply(orthographic(.6 * size), lookAt(sun.map((s, i) => middle[i] + "
    "1e-3 * size * s), middle, [0, 0, 1]));\n",
    "        const camera = multiply(perspective(focal, w / h, reach * .02, reach + 12 * size), "
    "lookAt(eye, aim, [0, 1, 0]));\n",
    "        gl.useProgram(p); gl.enable(gl.DEPTH_TEST);\n",
    "        gl.uniformMatrix4fv(at.light, false, light); gl.uniform3fv(at.eye, eye); "
    "gl.uniform3fv(at.sun, sun); gl.uniform3fv(at.middle, middle);\n",
    "        gl.uniform1f(at.size, size); gl.uniform1f(at.grid, scene.grid); "
    "gl.uniform1f(at.texel, 1 / cells); gl.uniform1i(at.kind, 2);\n",
    "        gl.bindTexture(gl.TEXTURE_2D, null); gl.bindFramebuffer(gl.FRAMEBUFFER, target); "
    "gl.viewport(0, 0, cells, cells);\n",
    "        // Offset in the map alone: in the picture it would push what lies a contact distance "
    "behind a sheet through it.\n",
    "        gl.enable(gl.POLYGON_OFFSET_FILL); gl.polygonOffset(1.5, 2);\n",
    "        gl.clear(gl.DEPTH_BUFFER_BIT); gl.uniformMatrix4fv(at.camera, false, light); "
    "drawBody(true);\n",
    "        gl.disable(gl.POLYGON_OFFSET_FILL);\n",
    "        gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.bindTexture(gl.TEXTURE_2D, map); "
    "gl.viewport(0, 0, w, h);\n",
    "        gl.clearColor(.85, .866, .886, 1); gl.clear(gl.COLOR_BUFFER_BIT | "
    "gl.DEPTH_BUFFER_BIT);\n",
    "        gl.uniformMatrix4fv(at.camera, false, camera); gl.uniform1i(at.kind, 0); "
    "drawBody(false);\n",
    "        gl.enable(gl.BLEND); gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, "
    "gl.ONE, gl.ONE);\n",
    "        gl.uniform1i(at.kind, 1); gl.uniform3f(at.color, .46, .46, .465); "
    "gl.bindVertexArray(floor.vao);\n",
    "        if (eye[1] > g) gl.drawElements(gl.TRIANGLES, 6, gl.UNSIGNED_INT, 0);\n",
    "        gl.disable(gl.BLEND); chart(frame);\n",
    "    }\n",
    "    function tick(now) {\n",
    "        if (playing) { setFrame((frame + Math.min((now - last) / 1000, .1) * "
    "Math.min(scene.rate, 60)) % "
    "Math.max(frames - 1, 1)); draw(); }\n",
    "        last = now; requestAnimationFrame(tick);\n",
    "    }\n",
    "    function pause(stop) { playing = !stop; $('play').textContent = stop ? 'Play' : 'Pause'; "
    "}\n",
    "    function fromHash() {\n",
    "        const asked = /frame=([0-9]+)/.exec(location.hash);\n",
    "        if (asked) { pause(true); setFrame(Math.min(+asked[1], frames - 1)); draw(); }\n",
    "    }\n",
    "    $('play').onclick = () => pause(playing);\n",
    "    $('seek').oninput = () => { pause(true); setFrame(+$('seek').value); draw(); };\n",
    "    $('wire').onchange = $('open').onchange = draw; onresize = () => { if (!turned) "
    "fitView(); draw(); }; onhashchange = fromHash;\n",
    "    $('gl').onpointerdown = e => $('gl').setPointerCapture(e.pointerId);\n",
    "    $('gl').onpointermove = e => {\n",
    "        if (!e.buttons) return;\n",
    "        turned = true;\n",
    "        if (e.shiftKey || e.buttons > 1) {\n",
    "            const k = 2 * away * zoom / focal / $('gl').clientHeight;\n",
    "            aim[0] -= k * e.movementX * Math.cos(turn); aim[2] += k * e.movementX * "
    "Math.sin(turn); aim[1] += k * e.movementY;\n",
    "        } else { turn -= .008 * e.movementX; tilt = Math.max(-.2, Math.min(1.55, tilt + .008 "
    "* e.movementY)); }\n",
    "        draw();\n",
    "    };\n",
    "    $('gl').oncontextmenu = e => e.preventDefault();\n",
    "    $('gl').onwheel = e => { e.preventDefault(); zoom = Math.max(.1, Math.min(6, zoom * "
    "Math.exp(.001 * e.deltaY))); draw(); };\n",
    "    $('chart').onpointerdown = $('chart').onpointermove = e => {\n",
    "        if (!e.buttons) return;\n",
    "        const part = (e.offsetX - 78) / ($('chart').clientWidth - 228);\n",
    "        pause(true); setFrame(Math.round(Math.max(0, Math.min(1, part)) * (frames - 1))); "
    "draw();\n",
    "    };\n",
    "    fitView(); setFrame(0); fromHash(); draw();\n",
    "    if (!stillTriangles.length) $('open').parentNode.style.display = 'none';\n",
    "    if (gl.getError()) throw new Error('WebGL reports an error');\n",
    "    document.title = 'ready ' + frames + ' frames'; requestAnimationFrame(tick);\n",
    "}\n",
    "start().catch(e => { document.title = 'failed: ' + e.message; $('name').textContent = "
    "document.title; });\n",
    NULL,
};

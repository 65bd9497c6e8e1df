// Points of a map, or between two maps, drawn by WebGL 2.

export interface View {
  x: number; // centre, in a map's square from 0 to 1
  y: number;
  zoom: number; // 1 shows the whole square
}

const VERTEX = `#version 300 es
in vec2 from; in vec2 to; in float shade; in float hidden;
uniform float t; uniform vec2 centre; uniform vec2 scale; uniform float size; uniform float opacity; uniform float dim;
uniform sampler2D table;
out vec4 color;
void main() {
  vec2 place = (mix(from, to, t) - centre) * scale;
  gl_Position = hidden > 0.0 ? vec4(9.0, 9.0, 0.0, 1.0) : vec4(place, 0.0, 1.0);
  gl_PointSize = size;
  vec3 hue = texelFetch(table, ivec2(int(shade), 0), 0).rgb;
  color = vec4(mix(hue, vec3(0.6), dim), opacity);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 color;
uniform float size; uniform vec4 rim;
out vec4 pixel;
void main() {
  float r = length(gl_PointCoord - 0.5) * size;
  float cover = size < 2.5 ? 1.0 : clamp(size / 2.0 - r, 0.0, 1.0);
  float edge = rim.a * clamp(r - size / 2.0 + 2.0, 0.0, 1.0);
  vec3 paint = mix(color.rgb, rim.rgb, edge);
  float alpha = color.a * cover;
  pixel = vec4(paint * alpha, alpha);
}`;

export class Points {
  readonly gl: WebGL2RenderingContext;
  private program: WebGLProgram;
  private places: Record<string, WebGLUniformLocation> = {};
  private buffers: Record<string, WebGLBuffer> = {};
  private order: WebGLBuffer;
  private chosen: WebGLBuffer;
  private nChosen = 0;
  t = 0;

  constructor(readonly canvas: HTMLCanvasElement, readonly n: number, order: Uint32Array) {
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This browser has no WebGL 2, without which maps cannot be drawn.");
    this.gl = gl;
    this.program = link(gl);
    for (const name of ["t", "centre", "scale", "size", "opacity", "dim", "rim", "table"]) this.places[name] = gl.getUniformLocation(this.program, name)!;
    gl.bindVertexArray(gl.createVertexArray());
    this.attribute("from", 2, gl.UNSIGNED_SHORT, true, 4);
    this.attribute("to", 2, gl.UNSIGNED_SHORT, true, 4);
    this.attribute("shade", 1, gl.UNSIGNED_BYTE, false, 1);
    this.attribute("hidden", 1, gl.UNSIGNED_BYTE, false, 1);
    this.order = gl.createBuffer()!;
    this.chosen = gl.createBuffer()!;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, order, gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  private attribute(name: string, width: number, type: number, normal: boolean, bytes: number): void {
    const gl = this.gl;
    this.buffers[name] = gl.createBuffer()!;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, this.n * bytes, gl.DYNAMIC_DRAW);
    const place = gl.getAttribLocation(this.program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, type, normal, 0, 0);
  }

  private put(name: string, values: ArrayBufferView): void {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, values);
  }

  setMaps(from: Uint16Array, to: Uint16Array): void {
    this.put("from", from);
    this.put("to", to);
  }

  setShades(shade: Uint8Array, table: Uint8Array): void {
    const gl = this.gl;
    this.put("shade", shade);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
  }

  setHidden(hidden: Uint8Array): void {
    this.put("hidden", hidden);
  }

  // In shuffled order, so that the first ones represent all while the picture moves.
  setChosen(rows: Uint32Array): void {
    const gl = this.gl;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.chosen);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, rows, gl.DYNAMIC_DRAW);
    this.nChosen = rows.length;
  }

  // `some` is the share of points to draw, for moving pictures.
  draw(view: View, perUnit: number, ratio: number, rim: [number, number, number], some: number): void {
    const { gl, canvas, places } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniform1f(places.t, this.t);
    gl.uniform2f(places.centre, view.x, view.y);
    const width = canvas.width / ratio, height = canvas.height / ratio;
    gl.uniform2f(places.scale, (2 * perUnit) / width, (2 * perUnit) / height);
    const size = pointSize(this.n, Math.min(width, height), view.zoom) * ratio;
    const dimmed = this.nChosen > 0;
    gl.uniform4f(places.rim, 0, 0, 0, 0);
    gl.uniform1f(places.size, size);
    gl.uniform1f(places.opacity, opacity(this.n, view.zoom) * (dimmed ? 0.35 : 1));
    gl.uniform1f(places.dim, dimmed ? 0.5 : 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    gl.drawElements(gl.POINTS, Math.ceil(this.n * some), gl.UNSIGNED_INT, 0);
    if (!dimmed) return;
    gl.uniform4f(places.rim, rim[0], rim[1], rim[2], size > 3 * ratio ? 1 : 0);
    gl.uniform1f(places.size, size + 2 * ratio);
    gl.uniform1f(places.opacity, 1);
    gl.uniform1f(places.dim, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.chosen);
    gl.drawElements(gl.POINTS, Math.ceil(this.nChosen * some), gl.UNSIGNED_INT, 0);
  }
}

// In pixels of the page: a fraction of the space that each point has.
export function pointSize(n: number, side: number, zoom: number): number {
  const room = (0.35 * side) / Math.sqrt(n);
  return Math.min(12, Math.min(7, Math.max(1.2, room)) * Math.pow(zoom, 0.4));
}

export function opacity(n: number, zoom: number): number {
  return Math.min(1, Math.max(0.25, (80 * zoom) / Math.sqrt(n)));
}

// The same order each time; not the order of the file, in which groups are often contiguous.
export function shuffled(n: number): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  let state = 0x9e3779b9;
  for (let i = n - 1; i > 0; i--) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    const j = ((state ^ (state >>> 14)) >>> 0) % (i + 1);
    const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
  return order;
}

function link(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram()!;
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`WebGL: ${gl.getProgramInfoLog(program)}`);
  return program;
}

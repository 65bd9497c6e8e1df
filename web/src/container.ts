// Bytes of a container -> header and blocks; `_container.py` writes them.

export interface Container {
  head: any;
  blocks: Uint8Array[];
}

export function unpack(data: ArrayBuffer): Container {
  const bytes = new Uint8Array(data);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== "UPX1") throw new Error("These bytes are no page of the explorer.");
  const length = new DataView(data).getUint32(4, true);
  const content = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const first = 8 + length;
  const blocks = content.blocks.map(([offset, size]: [number, number]) => bytes.subarray(first + offset, first + offset + size));
  return { head: content.head, blocks };
}

// Blocks begin at multiples of 8 bytes, so that numbers can be read in place.
export const asU16 = (block: Uint8Array) => new Uint16Array(block.buffer, block.byteOffset, block.byteLength / 2);
export const asF32 = (block: Uint8Array) => new Float32Array(block.buffer, block.byteOffset, block.byteLength / 4);
export const asTexts = (block: Uint8Array): string[] => JSON.parse(new TextDecoder().decode(block));

export function fromBase64(text: string): ArrayBuffer {
  const native = (Uint8Array as any).fromBase64;
  if (native) return native.call(Uint8Array, text).buffer;
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

// The model of the page: columns, maps and paths, as read from the container.

import { asF32, asTexts, asU16, type Container } from "./container";

export interface Column {
  name: string;
  kind: "groups" | "amounts" | "dates" | "cyclic" | "text";
  feature: boolean;
  categories: string[];
  colors: [number, number, number][];
  range: [number, number];
  codes: Uint16Array; // of groups: 0 is missing, else category + 1
  numbers: Float32Array; // of amounts, dates and cyclic
  texts: string[];
}

// What is factored out of a map; `what` is a name, a map's key, or the selection's bits.
export interface Factored {
  name: string;
  strength: number;
  from: "known" | "column" | "selection" | "map";
  what: string;
}

// Labels within whose classes priors are factored out.
export interface Kept {
  name: string;
  from: "column" | "selection";
  what: string;
}

export interface MapInfo {
  key: string;
  name: string;
  parent: string | null;
  factored: Factored[];
  keep: Kept[];
  left: Record<string, number | null>;
  within: Record<string, Record<string, number | null>>; // by kept labels, then by prior
  kept: number | null;
  state: "given" | "done" | "stopped";
  note: string;
  snippet: string;
  points: Uint16Array;
}

export interface Path {
  of: string;
  maps: string[];
  strengths: number[];
}

export interface Model {
  title: string;
  n: number;
  madeBy: string;
  ids: string[] | null;
  columns: Column[];
  onDemand: string[];
  maps: Map<string, MapInfo>;
  paths: Path[];
  colormaps: Record<string, Uint8Array>;
  missing: [number, number, number];
  canDraw: boolean;
  canSave: boolean;
  left: string | null;
  right: string | null;
  color: string | null;
  chosen: string | null; // bits of the samples that were selected when the page was left
  keep: Kept[]; // what is to be kept on the first map without something
}

export const VERSION = 1;

export function readColumn(told: any, blocks: Uint8Array[]): Column {
  const block = blocks[told.block];
  const groups = told.kind === "groups", text = told.kind === "text";
  return {
    name: told.name,
    kind: told.kind,
    feature: told.feature,
    categories: told.categories ?? [],
    colors: told.colors ?? [],
    range: told.range ?? [0, 1],
    codes: groups ? asU16(block) : new Uint16Array(0),
    numbers: groups || text ? new Float32Array(0) : asF32(block),
    texts: text ? asTexts(block) : [],
  };
}

export function readMap(told: any, blocks: Uint8Array[]): MapInfo {
  return { ...told, points: asU16(blocks[told.block]) };
}

export function readModel({ head, blocks }: Container): Model {
  if (head.version !== VERSION) throw new Error(`This page speaks version ${VERSION}, its data version ${head.version}.`);
  const maps = new Map<string, MapInfo>();
  for (const told of head.maps) maps.set(told.key, readMap(told, blocks));
  const colormaps: Record<string, Uint8Array> = {};
  for (const [kind, block] of Object.entries(head.colormaps)) colormaps[kind] = blocks[block as number];
  return {
    title: head.title,
    n: head.n,
    madeBy: head.made_by,
    ids: head.ids === null ? null : asTexts(blocks[head.ids]),
    columns: head.columns.map((told: any) => readColumn(told, blocks)),
    onDemand: head.on_demand,
    maps,
    paths: head.paths,
    colormaps,
    missing: head.missing,
    canDraw: head.can_draw,
    canSave: head.can_save ?? false,
    left: head.left ?? null,
    right: head.right ?? null,
    color: head.color ?? null,
    keep: head.keep ?? [],
    chosen: head.chosen ?? null,
  };
}

const DAY = 86_400_000;

// Format a value for display.
export function show(column: Column, i: number): string {
  if (column.kind === "groups") return column.codes[i] ? column.categories[column.codes[i] - 1] : "";
  if (column.kind === "text") return column.texts[i];
  return showNumber(column, column.numbers[i]);
}

export function showNumber(column: Column, value: number): string {
  if (Number.isNaN(value)) return "";
  if (column.kind === "dates") return new Date(value * DAY).toISOString().slice(0, 10);
  return String(Number(value.toPrecision(5)));
}

export const idOf = (model: Model, i: number) => (model.ids ? model.ids[i] : String(i));

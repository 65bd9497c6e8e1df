// Build elements; text is never parsed as markup.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | ((event: any) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag: string, props: Record<string, string | number> = {}, ...children: (Node | string)[]): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export function button(text: string, title: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", title, click, ...props }, text);
}

export const share = (value: number) => `${Math.round(100 * value)} %`;

export const fixed = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : (Math.abs(value) < 0.005 ? 0 : value).toFixed(2);

export function download(name: string, content: Blob): void {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

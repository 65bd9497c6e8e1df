// How a page talks to Python: not at all (a file), by a socket (the server), or through the notebook.

import { type Container, fromBase64, unpack } from "./container";

export interface Link {
  open(): Promise<Container>;
  ask(op: string, body?: object): Promise<any>; // rejected with a sentence if refused
  tell(op: string, body: object): void; // without an answer
  listen(hear: (message: Container) => void): void;
}

export class FileLink implements Link {
  constructor(private text: string) {}
  async open(): Promise<Container> {
    return unpack(fromBase64(this.text.trim()));
  }
  ask(): Promise<any> {
    return Promise.reject(new Error("This page is a file; open the data with `unprior explore` to draw maps."));
  }
  tell(): void {}
  listen(): void {}
}

const WAIT = 120_000; // milliseconds for an answer

// Numbered requests, for links whose answers arrive as messages.
abstract class Asking implements Link {
  private waiting = new Map<number, { done: (answer: any) => void; failed: (error: Error) => void }>();
  private heard: ((message: Container) => void)[] = [];
  private early: Container[] = []; // what came before anybody listened
  private count = 0;

  abstract open(): Promise<Container>;
  protected abstract send(message: object): void;

  ask(op: string, body: object = {}): Promise<any> {
    const id = ++this.count;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      setTimeout(() => this.settle(id, { error: "There was no answer." }), WAIT);
      this.send({ v: 1, id, op, ...body });
    });
  }

  tell(op: string, body: object): void {
    this.send({ v: 1, id: 0, op, ...body });
  }

  listen(hear: (message: Container) => void): void {
    this.heard.push(hear);
    setTimeout(() => {
      for (const message of this.early.splice(0)) hear(message);
    });
  }

  protected take(message: Container): void {
    if (message.head.op === "answer") this.settle(message.head.id, message.head, message);
    else if (!this.heard.length || this.early.length) this.early.push(message);
    else for (const hear of this.heard) hear(message);
  }

  protected lost(text: string): void {
    for (const id of [...this.waiting.keys()]) this.settle(id, { error: text });
    this.take({ head: { op: "lost", text }, blocks: [] });
  }

  private settle(id: number, answer: any, message?: Container): void {
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (answer.error) asked?.failed(new Error(answer.error));
    else asked?.done(message);
  }
}

export class SocketLink extends Asking {
  private socket!: WebSocket;

  constructor(private token: string) {
    super();
  }

  // Open the socket first: it reports maps that are drawn while the page loads.
  async open(): Promise<Container> {
    const refused = await this.connect().then(() => null, (error: Error) => error);
    const found = await fetch("/bundle", { headers: { Authorization: `Bearer ${this.token}` }, cache: "no-store" });
    if (found.status === 401) throw new Error("This address has no valid token; take the one that `unprior explore` printed.");
    if (!found.ok) throw new Error(`The server answered ${found.status}.`);
    if (refused) throw refused;
    return unpack(await found.arrayBuffer());
  }

  private connect(): Promise<void> {
    const socket = (this.socket = new WebSocket(`ws://${location.host}/socket`, ["unprior.v1", `token.${this.token}`]));
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.take(typeof event.data === "string" ? { head: JSON.parse(event.data), blocks: [] } : unpack(event.data));
    return new Promise((done, failed) => {
      socket.onerror = () => failed(new Error("The server refused the connection."));
      socket.onopen = () => {
        socket.onclose = () => this.lost("The server has gone; what is drawn stays.");
        done();
      };
    });
  }

  protected send(message: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

// The notebook's side: the model that anywidget passes to a page.
interface WidgetModel {
  send(content: object): void;
  on(name: "msg:custom", hear: (content: any, buffers: DataView[]) => void): void;
  off(name: "msg:custom", hear: (content: any, buffers: DataView[]) => void): void;
}

export class WidgetLink extends Asking {
  private hear = (content: any, buffers: DataView[]) => this.take(buffers.length ? unpack(copy(buffers)) : { head: content, blocks: [] });

  constructor(private model: WidgetModel) {
    super();
    model.on("msg:custom", this.hear);
  }

  async open(): Promise<Container> {
    return this.ask("page");
  }

  close(): void {
    this.model.off("msg:custom", this.hear);
  }

  protected send(message: object): void {
    this.model.send(message);
  }
}

// Join the pieces of a container into one buffer, since a piece may be misaligned for numbers.
function copy(buffers: DataView[]): ArrayBuffer {
  const whole = new Uint8Array(buffers.reduce((sum, b) => sum + b.byteLength, 0));
  let at = 0;
  for (const b of buffers) {
    whole.set(new Uint8Array(b.buffer, b.byteOffset, b.byteLength), at);
    at += b.byteLength;
  }
  return whole.buffer;
}

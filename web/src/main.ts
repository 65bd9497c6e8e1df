// Entry points of the page: in a file, at the server, or in a notebook.

import { App } from "./app";
import { h } from "./dom";
import { FileLink, type Link, SocketLink, WidgetLink } from "./link";

async function start(root: HTMLElement, link: Link, keys: HTMLElement | Document): Promise<App | null> {
  try {
    return new App(root, link, await link.open(), keys);
  } catch (error) {
    root.append(h("p", { class: "unprior failure", role: "alert" }, (error as Error).message));
    return null;
  }
}

// The token comes after a #, which browsers do not send; it is removed from the address bar.
function readToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    sessionStorage.setItem("unprior-token", token);
    history.replaceState(null, "", location.pathname);
  }
  return token ?? sessionStorage.getItem("unprior-token") ?? "";
}

const page = document.getElementById("unprior-explorer");
if (page) {
  const bundle = document.getElementById("unprior-bundle");
  const link = bundle ? new FileLink(bundle.textContent!) : new SocketLink(readToken());
  bundle?.remove();
  void start(page, link, document);
}

// What anywidget calls in a notebook.
export default {
  async render({ model, el }: { model: any; el: HTMLElement }) {
    const link = new WidgetLink(model);
    el.classList.add("unprior-widget");
    const app = await start(el, link, el);
    return () => {
      link.close();
      app?.drop();
    };
  },
};

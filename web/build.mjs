// TypeScript and CSS -> the two files that Python serves; the same bytes on every machine.
import { buildSync } from "esbuild";

const out = process.argv[2] ?? "../src/unprior/explorer/static";

buildSync({
  entryPoints: { explorer: "src/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
});
buildSync({
  entryPoints: { explorer: "src/explorer.css" },
  outdir: out,
  minify: true,
  target: ["chrome110", "firefox110", "safari16"],
  logLevel: "warning",
});

// The conformance suite imports a function of Node 22 that it does not need here; on Node 20 it is not there.
import { register } from "node:module";

const hooks = `
export function resolve(specifier, context, next) {
  const ours = specifier === "fs" && (context.parentURL || "").includes("/conformance/dist/");
  return ours ? { url: "older:fs", shortCircuit: true } : next(specifier, context);
}
export function load(url, context, next) {
  const source = 'import fs from "node:fs"; export * from "node:fs"; export default fs; export const globSync = fs.globSync;';
  return url === "older:fs" ? { format: "module", source, shortCircuit: true } : next(url, context);
}`;
register("data:text/javascript," + encodeURIComponent(hooks));

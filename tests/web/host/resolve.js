// Lets node import the files of web/ as a browser does: they are modules, and ComfyUI's two scripts stand in this folder.
const WEB = new URL("../../../web/", import.meta.url).href;

export async function resolve(specifier, context, next) {
  const script = /\/scripts\/(app|api)\.js$/.exec(specifier);
  if (script) return { url: new URL(`${script[1]}.js`, import.meta.url).href, format: "module", shortCircuit: true };
  const found = await next(specifier, context);
  return found.url.startsWith(WEB) ? { ...found, format: "module" } : found;
}

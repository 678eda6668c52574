import { register } from "node:module";

register("./resolve.js", import.meta.url);

await (await import("../../../web/texts.js")).loadTexts();

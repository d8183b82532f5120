/**
 * The texts of all pages in German, with a file for each folder of pages or for a part of a folder. A text is a string,
 * or a function of the values in it. `words.ts` writes numbers.
 *
 * The German texts have the type of the English texts, so the compiler reports a text that is missing here.
 *
 * @module
 */

export { accessLog, places, portal, rules } from "./portal.js"
export { notices, settings } from "./settings.js"
export { consent } from "./consent.js"
export { devices } from "./devices.js"
export { factors } from "./factors.js"
export { frame } from "./frame.js"
export { map } from "./map.js"
export { setUp } from "./setUp.js"
export { steering } from "./steering.js"
export { signIn } from "./signIn.js"
export { time } from "./time.js"
export { timeline } from "./timeline.js"
export { today } from "./today.js"
export { admin } from "./admin.js"
export { review } from "./review.js"
export { developer, testPeople } from "./developer.js"
export { purposes, team } from "./purposes.js"
export { webhooks } from "./webhooks.js"

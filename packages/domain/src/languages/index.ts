/**
 * Languages: translates the texts of the domain for readers of other languages. The domain writes its texts in English,
 * for example mails, the sentences of the access log and reasons of refusals (decision languages-1). `translate` finds
 * the template of a text and writes the text in another language. `readable` also isolates names that are written from
 * right to left, for texts that people read. The README of this folder has the glossary.
 *
 * @module
 */

export * as Isolation from "./Isolation.js"
export { readable, translate, untranslated } from "./Translation.js"

/**
 * Languages: translates the texts of the domain for readers of other languages. The domain writes its texts in English,
 * for example mails, the sentences of the access log and reasons of refusals (decision languages-1). `translate` finds
 * the template of a text and writes the text in another language. The README of this folder has the glossary.
 *
 * @module
 */

export { translate, untranslated } from "./Translation.js"

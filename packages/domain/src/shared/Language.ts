// The languages of texts that people read: pages and mails. Decision languages-1.
import { Schema } from "effect"

/** A language by its tag in BCP 47. The texts of the domain are written in English. */
export const Language = Schema.Literal("en", "de")
export type Language = typeof Language.Type

/** The language for a reader whose language is not known. */
export const DEFAULT: Language = "en"

export const all: ReadonlyArray<Language> = Language.literals

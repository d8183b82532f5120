import type { History } from "@place-access/domain/retention-choice"
import { Schema } from "effect"
import { type Html, nothing } from "../../html/Html.js"
import { texts, textsIn } from "../../languages/index.js"

const words = texts.frame.keep

/** The options of a form in which a person chooses how long the service keeps their history. */
export const OPTIONS: ReadonlyArray<{
  readonly keep: History.Keep
  readonly value: typeof Value.Type
  readonly text: Html
}> = [
  { keep: 30, value: "30", text: words[30] },
  { keep: 90, value: "90", text: words[90] },
  { keep: 365, value: "365", text: words[365] },
  { keep: null, value: "forever", text: words.forever }
]

/** The values that the field of the form can post. */
export const Value = Schema.Literal("30", "90", "365", "forever").annotations({
  message: () => ({ message: textsIn("en").frame.messages.oneOfFour, override: true })
})

export const textOf = (keep: History.Keep): Html => OPTIONS.find((one) => one.keep === keep)?.text ?? nothing

export const keepOf = (value: typeof Value.Type): History.Keep =>
  OPTIONS.find((one) => one.value === value)?.keep ?? null

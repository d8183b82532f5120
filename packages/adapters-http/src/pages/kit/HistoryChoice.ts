import type { History } from "@place-access/domain/retention-choice"
import { Schema } from "effect"

/** The choices of a form for how long history is kept. */
export const OPTIONS: ReadonlyArray<{
  readonly keep: History.Keep
  readonly value: typeof Value.Type
  readonly text: string
}> = [
  { keep: 30, value: "30", text: "30 days" },
  { keep: 90, value: "90", text: "90 days" },
  { keep: 365, value: "365", text: "365 days" },
  { keep: null, value: "forever", text: "For ever" }
]

/** The value that the field posts. */
export const Value = Schema.Literal("30", "90", "365", "forever").annotations({
  message: () => "choose one of the four"
})

export const textOf = (keep: History.Keep): string => OPTIONS.find((one) => one.keep === keep)?.text ?? ""

export const keepOf = (value: typeof Value.Type): History.Keep =>
  OPTIONS.find((one) => one.value === value)?.keep ?? null

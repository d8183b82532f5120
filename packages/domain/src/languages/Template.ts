/**
 * Templates of the domain's English texts and of their translations. Decision languages-2.
 *
 * A template is literal text with slots, such as `On {at:moment} you disconnected the app "{app}".` It matches a text
 * from end to end. The text may contain the name of an app or a zone, which a stranger chose. A name can be made so
 * that a regular expression over the whole text becomes very slow. So `startsWith` and `indexOf` find the literals, and
 * a regular expression is used only for a moment or a number, on at most `LONGEST` characters.
 */

/** The kind of text that a slot matches. `packages/domain/src/languages/README.md` has the table of kinds. */
type SlotKind = "any" | "text" | "list" | "moment" | "number"

interface Slot {
  readonly name: string
  readonly kind: SlotKind
}

interface TemplatePart {
  readonly slot: Slot
  /**
   * The literal text after the slot. Only the last slot may have an empty text, because otherwise two slots would
   * touch.
   */
  readonly after: string
}

export interface TextTemplate {
  /** The literal text before the first slot. */
  readonly head: string
  readonly parts: ReadonlyArray<TemplatePart>
  /**
   * The number of characters of all literals. Of two templates that match, the template with the greater weight fits
   * the text better.
   */
  readonly weight: number
}

/** The text of each slot in a text that matches the template, by the name of the slot. */
export type Filling = ReadonlyMap<string, { readonly kind: SlotKind; readonly text: string }>

const SLOT = /\{(\w+)(?::(\w+))?\}/g
const KINDS: ReadonlySet<string> = new Set<SlotKind>(["any", "text", "list", "moment", "number"])
const isKind = (text: string): text is SlotKind => KINDS.has(text)

/** Reads a template; `{name}` and `{name:kind}` are slots. Throws for an unknown kind and for two slots that touch. */
export const parse = (source: string): TextTemplate => {
  const found = [...source.matchAll(SLOT)]
  const parts = found.map((match, index): TemplatePart => {
    const [whole, name = "", kind = "any"] = match
    if (!isKind(kind)) throw new TypeError(`no slot is a ${kind}: ${source}`)
    const after = source.slice(match.index + whole.length, found[index + 1]?.index ?? source.length)
    if (after === "" && index < found.length - 1) throw new TypeError(`two slots touch: ${source}`)
    return { slot: { name, kind }, after }
  })
  const head = source.slice(0, found[0]?.index ?? source.length)
  return { head, parts, weight: parts.reduce((sum, { after }) => sum + after.length, head.length) }
}

/** Whether the template begins with a slot for any text, so that it could match the beginning of every text. */
export const isOpen = ({ head, parts }: TextTemplate): boolean =>
  head === "" && parts[0] !== undefined && isFree(parts[0].slot.kind)

/** The maximum number of characters of a number, and of a moment such as `30 September 2026 at 12:00 UTC`. */
const LONGEST = 40

const PATTERNS = {
  moment: /^\d{1,2} [A-Z][a-z]{2,8} \d{4} at \d\d:\d\d UTC/,
  number: /^\d{1,16}/
} as const

const isFree = (kind: SlotKind): kind is "any" | "text" | "list" => kind !== "moment" && kind !== "number"

/**
 * The maximum number of occurrences of literals that one match of a text with a template tries. Without this limit, a
 * name that repeats a literal many times would make the match slow.
 */
const TRIES = 50

/**
 * Matches a text with a template. Returns the texts of the slots, or undefined when the template does not match. A slot
 * is never empty and has no line break.
 */
export const match = ({ head, parts }: TextTemplate, text: string): Filling | undefined => {
  const tail = parts.at(-1)?.after ?? ""
  if (!text.startsWith(head) || !text.endsWith(tail)) return undefined
  if (parts.length === 0) return text.length === head.length ? new Map() : undefined
  const end = text.length - tail.length
  const ends = endsOf(parts, text, head.length, end)
  if (ends === undefined) return undefined
  let from = head.length
  const filling = new Map<string, { readonly kind: SlotKind; readonly text: string }>()
  for (const [index, { after, slot }] of parts.entries()) {
    const until = ends[index] ?? end
    const filled = text.slice(from, until)
    // Slots with the same name must have the same text.
    if (filled.includes("\n") || (filling.get(slot.name)?.text ?? filled) !== filled) return undefined
    filling.set(slot.name, { kind: slot.kind, text: filled })
    from = until + after.length
  }
  return filling
}

/** Where the text of each slot ends in `text`; undefined when the parts do not fit between `from` and `end`. */
const endsOf = (
  parts: ReadonlyArray<TemplatePart>,
  text: string,
  from: number,
  end: number
): ReadonlyArray<number> | undefined => {
  let tries = TRIES
  const fill = (index: number, at: number): ReadonlyArray<number> | undefined => {
    const part = parts[index]
    if (part === undefined) return []
    const isLast = index === parts.length - 1
    const { after, slot } = part
    if (isFree(slot.kind)) {
      if (isLast) return at < end ? [end] : undefined
      // When all later slots are moments or numbers, the last occurrence of the literal is the right one: earlier
      // occurrences belong to this slot's text.
      const isFromRight = parts.slice(index + 1).every((later) => !isFree(later.slot.kind))
      let found = isFromRight ? text.lastIndexOf(after, end - after.length) : text.indexOf(after, at + 1)
      while (found > at && found + after.length <= end && tries-- > 0) {
        const rest = fill(index + 1, found + after.length)
        if (rest !== undefined) return [found, ...rest]
        found = isFromRight ? text.lastIndexOf(after, found - 1) : text.indexOf(after, found + 1)
      }
      return undefined
    }
    const length = PATTERNS[slot.kind].exec(text.slice(at, at + LONGEST))?.[0].length
    if (length === undefined) return undefined
    const stop = at + length
    if (isLast) return stop === end ? [end] : undefined
    if (!text.startsWith(after, stop)) return undefined
    const rest = fill(index + 1, stop + after.length)
    return rest === undefined ? undefined : [stop, ...rest]
  }
  return fill(0, from)
}

/**
 * Writes a template with these texts in its slots. `say` translates the text of a slot into the template's language.
 */
export const write = (
  { head, parts }: TextTemplate,
  filling: Filling,
  say: (kind: SlotKind, text: string) => string
): string =>
  head +
  parts
    .map(({ after, slot }) => {
      const filled = filling.get(slot.name)
      return (filled === undefined ? "" : say(filled.kind, filled.text)) + after
    })
    .join("")

import { html, type Html } from "../../html/Html.js"

/** One arrow of a sequence diagram, from one participant to another participant or to itself. */
export interface SequenceMessage {
  readonly from: string
  readonly to: string
  readonly says: string
  /** Whether the arrow is an answer, which has a dashed line. */
  readonly isAnswer?: boolean
}

const COLUMN = 190
const ROW = 46
const HEAD = 34
const MARGIN = 12

/**
 * A sequence diagram as SVG, which the server makes. A list below the drawing has the same steps, for readers who do
 * not see the drawing or see it too small.
 */
export const sequence = (title: string, actors: ReadonlyArray<string>, steps: ReadonlyArray<SequenceMessage>): Html => {
  const width = actors.length * COLUMN
  const height = HEAD + (steps.length + 1) * ROW
  const x = (actor: string): number => (actors.indexOf(actor) + 0.5) * COLUMN
  return html`<figure class="sequence">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}. The steps are listed below.">
      ${actors.map(
        (actor) =>
          html`<line class="life" x1="${x(actor)}" y1="${HEAD}" x2="${x(actor)}" y2="${height - MARGIN}" />
            <rect x="${x(actor) - COLUMN / 2 + 20}" y="1" width="${COLUMN - 40}" height="${HEAD - 2}" rx="6" />
            <text x="${x(actor)}" y="${HEAD / 2 + 5}" text-anchor="middle">${actor}</text>`
      )}
      ${steps.map((step, index) => arrow(step, HEAD + (index + 1) * ROW, x))}
    </svg>
    <details>
      <summary>${title}, step by step</summary>
      <ol>
        ${steps.map(({ from, says, to }) => html`<li>${from === to ? from : `${from} → ${to}`}: ${says}</li>`)}
      </ol>
    </details>
  </figure>`
}

const arrow = (
  { from, isAnswer = false, says, to }: SequenceMessage,
  y: number,
  x: (actor: string) => number
): Html => {
  const [begin, end] = [x(from), x(to)]
  if (begin === end) {
    // An arrow from a participant to itself goes to the left, where the text has room. Only the first participant has
    // no room on the left, so there the arrow goes to the right.
    const side = begin === COLUMN / 2 ? 1 : -1
    return html`<path class="arrow" d="M ${begin} ${y - 12} h ${side * 26} v 14 h ${-side * 20}" />
      <path class="tip" d="M ${begin + side * 2} ${y + 2} l ${side * 9} -4 v 8 z" />
      <text x="${begin + side * 34}" y="${y}" text-anchor="${side === 1 ? "start" : "end"}">${says}</text>`
  }
  const direction = end > begin ? 1 : -1
  const tip = end - direction * 2
  return html`<line class="arrow${isAnswer && " answer"}" x1="${begin}" y1="${y}" x2="${tip}" y2="${y}" />
    <path class="tip" d="M ${tip} ${y} l ${-direction * 9} -4 v 8 z" />
    <text x="${(begin + end) / 2}" y="${y - 7}" text-anchor="middle">${says}</text>`
}

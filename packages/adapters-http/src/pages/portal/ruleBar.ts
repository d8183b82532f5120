import { type RecentEvaluations, type Rule, RuleRuns } from "@place-access/domain/rules"
import { Html, html, nothing } from "../../html/Html.js"
import { texts } from "../../languages/index.js"

/**
 * This module draws the last evaluations of a rule as a bar (decision rules-12). For screen readers, the page has a
 * table after the bar.
 */

const words = texts.rules.legend

const WIDTH = 480
const HEIGHT = 62
const TOP = 34
const THICK = 20
const EDGE = 12

type Kind = "fired" | "late" | "edge" | "cooled"

const KINDS: Readonly<Partial<Record<RecentEvaluations.Evaluation["outcome"], Kind>>> = {
  fired: "fired",
  stale: "late",
  late: "late",
  boundary: "edge",
  cooling_down: "cooled"
}

export const bar = (rule: Rule.Rule, recent: RecentEvaluations.RecentEvaluations): Html => {
  const runs = RuleRuns.sides(rule.type, recent)
  const marks = recent.flatMap((one) => {
    const kind = KINDS[one.outcome]
    return kind === undefined ? [] : [{ kind, at: one.capturedAt }]
  })
  const times = recent.map(({ capturedAt }) => capturedAt)
  const [from, until] = [Math.min(...times), Math.max(...times)]
  if (until <= from) return nothing
  const x = (at: number) => EDGE + ((at - from) / (until - from)) * (WIDTH - 2 * EDGE)
  return html`<figure class="card sides">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      ${runs.map((run) => {
        const begin = x(run.from)
        const kind = run.side ?? "unknown"
        return rect(kind, begin, TOP, Math.max(x(run.until) - begin, 3), THICK)
      })}
      ${marks.map(({ at, kind }) => mark(kind, x(at), 18))}
    </svg>
    <figcaption class="soft small">
      <ul class="plain legend">
        ${SIDES.map((side) => html`<li>${sample(rect(side, 1, 4, 18, 12))} ${words[side]}</li>`)}
        ${[...new Set(marks.map(({ kind }) => kind))].map((kind) => html`<li>${sample(mark(kind, 10, 10))} ${words[kind]}</li>`)}
      </ul>
    </figcaption>
  </figure>`
}

const SIDES = ["inside", "outside"] as const

const sample = (drawn: Html): Html =>
  html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${drawn}</svg>`

const rect = (kind: string, x: number, y: number, width: number, height: number): Html =>
  new Html(`<rect class="${kind}" x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" rx="3"/>`)

/** The marks differ in shape and not only in colour, for readers who cannot tell the colours apart. */
const mark = (kind: Kind, x: number, y: number): Html => {
  const at = x.toFixed(1)
  switch (kind) {
    case "fired":
      return new Html(`<circle class="fired" cx="${at}" cy="${y}" r="7"/>`)
    case "late":
      return new Html(`<path class="late" d="M${at} ${y - 7}l7.500 13h-15z"/>`)
    case "edge":
      return new Html(`<circle class="edge" cx="${at}" cy="${y}" r="5.500"/>`)
    case "cooled":
      return new Html(`<path class="cooled" d="M${at} ${y - 7}l7 7l-7 7l-7 -7z"/>`)
  }
}

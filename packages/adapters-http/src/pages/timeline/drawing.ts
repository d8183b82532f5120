import { type Geometry, type Place } from "@place-access/domain/places"
import { Trace } from "@place-access/domain/timeline"
import type { Fix } from "@place-access/domain/fixes"
import { escape, Html, html, nothing } from "../../html/Html.js"

/**
 * A day drawn on the server: the own places as circles with their names, and the way as a line. It needs no script, no
 * tiles and no other server. Screen readers read the list of stays and ways instead.
 */

const WIDTH = 720
const HEIGHT = 420
const MARGIN = 36
/** A day within one building is not stretched over the whole picture. */
const MIN_SPAN_M = 600
/** More points than pixels show nothing more. */
const MAX_POINTS = 1_500

interface Drawn {
  readonly fixes: ReadonlyArray<Fix.Fix>
  /** The places where the person was on that day. */
  readonly places: ReadonlyArray<Place.Place>
  readonly segments: ReadonlyArray<Trace.Segment>
}

/** A position on the picture, in its units. */
interface At {
  readonly x: number
  readonly y: number
}

export const draw = ({ fixes, places, segments }: Drawn): Html => {
  const stops = segments.flatMap((one) => (one.kind === "stop" ? [one.centre] : []))
  const points: ReadonlyArray<Geometry.Point> = [...fixes, ...places.map(({ circle }) => circle), ...stops]
  const [first] = points
  if (first === undefined) return nothing
  const { project, unitsPerM } = projection(points, first)
  const lines = pieces(Trace.thinned(fixes, MAX_POINTS), segments).map((piece) => piece.map(project))
  return html`<figure class="day">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      ${places.map(({ circle }) => disc("place", project(circle), Math.max(circle.radiusM * unitsPerM, 6)))}
      ${lines.map((line) => new Html(`<polyline class="way" points="${line.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ")}"/>`))}
      ${stops.map((stop) => disc("stop", project(stop), 5))} ${ends(lines)} ${names(places, project)}
      ${scale(unitsPerM)}
    </svg>
  </figure>`
}

const round = (value: number): number => Math.round(value * 10) / 10

const disc = (kind: string, { x, y }: At, radius: number): Html =>
  new Html(`<circle class="${kind}" cx="${round(x)}" cy="${round(y)}" r="${round(radius)}"/>`)

/** Where the day begins and where it ends. */
const ends = (lines: ReadonlyArray<ReadonlyArray<At>>): Html => {
  const [begin, end] = [lines[0]?.[0], lines.at(-1)?.at(-1)]
  return begin === undefined || end === undefined ? nothing : html`${disc("begin", begin, 5)}${disc("end", end, 6)}`
}

/** Pieces of the line: over a gap nobody knows the way, nor over a deleted stretch, so none is drawn. */
const pieces = (
  fixes: ReadonlyArray<Fix.Fix>,
  segments: ReadonlyArray<Trace.Segment>
): ReadonlyArray<ReadonlyArray<Fix.Fix>> => {
  const erased = segments.filter(({ kind }) => kind === "erased")
  const isApart = (one: Fix.Fix, next: Fix.Fix): boolean =>
    next.capturedAt - one.capturedAt >= Trace.MIN_GAP ||
    erased.some(({ from }) => one.capturedAt < from && from <= next.capturedAt)
  const found: Array<Array<Fix.Fix>> = []
  for (const fix of fixes) {
    const piece = found.at(-1)
    const before = piece?.at(-1)
    if (piece === undefined || before === undefined || isApart(before, fix)) found.push([fix])
    else piece.push(fix)
  }
  return found
}

/**
 * A flat projection around the middle, the same scale in both directions. Longitudes are differences to the first
 * point, so that a day on the date line is in one piece.
 */
const projection = (points: ReadonlyArray<Geometry.Point>, first: Geometry.Point) => {
  const turn = (degrees: number) => ((degrees + 540) % 360) - 180
  const shrink = Math.max(Math.cos((first.lat * Math.PI) / 180), 0.01)
  const metres = ({ lat, lon }: Geometry.Point): At => ({
    x: turn(lon - first.lon) * shrink * M_A_DEGREE,
    y: (first.lat - lat) * M_A_DEGREE
  })
  const all = points.map(metres)
  const range = (values: ReadonlyArray<number>) => {
    const [low, high] = values.reduce(
      ([a, b], value) => [Math.min(a, value), Math.max(b, value)],
      [Infinity, -Infinity]
    )
    return { middle: (low + high) / 2, span: Math.max(high - low, MIN_SPAN_M) }
  }
  const [horizontal, vertical] = [range(all.map(({ x }) => x)), range(all.map(({ y }) => y))]
  const unitsPerM = Math.min((WIDTH - 2 * MARGIN) / horizontal.span, (HEIGHT - 2 * MARGIN) / vertical.span)
  return {
    unitsPerM,
    project: (point: Geometry.Point): At => {
      const { x, y } = metres(point)
      return { x: WIDTH / 2 + (x - horizontal.middle) * unitsPerM, y: HEIGHT / 2 + (y - vertical.middle) * unitsPerM }
    }
  }
}

const M_A_DEGREE = 111_320

const LABEL_HEIGHT = 20
const LETTER = 8.5

/** The names of the places. A name that would lie on another one moves below it. */
const names = (places: ReadonlyArray<Place.Place>, project: (point: Geometry.Point) => At): ReadonlyArray<Html> => {
  const taken: Array<At & { readonly width: number }> = []
  return places.map(({ circle, label }) => {
    const width = label.length * LETTER
    const at = project(circle)
    const x = Math.min(Math.max(at.x, width / 2 + 4), WIDTH - width / 2 - 4)
    let y = Math.max(at.y - 12, LABEL_HEIGHT)
    while (taken.some((one) => Math.abs(one.x - x) < (one.width + width) / 2 && Math.abs(one.y - y) < LABEL_HEIGHT)) {
      y += LABEL_HEIGHT
    }
    taken.push({ x, y, width })
    return new Html(`<text x="${round(x)}" y="${round(y)}">${escape(label)}</text>`)
  })
}

/** A bar with a round length, about a fifth of the picture. */
const scale = (unitsPerM: number): Html => {
  const about = WIDTH / 5 / unitsPerM
  const power = 10 ** Math.floor(Math.log10(about))
  const lengthM = [5, 2, 1].map((factor) => factor * power).find((one) => one <= about) ?? power
  const width = round(lengthM * unitsPerM)
  const text = lengthM >= 1_000 ? `${lengthM / 1_000} km` : `${lengthM} m`
  return new Html(
    `<path class="scale" d="M12 ${HEIGHT - 16}v6h${width}v-6"/><text class="scale" x="${18 + width}" y="${HEIGHT - 9}">${text}</text>`
  )
}

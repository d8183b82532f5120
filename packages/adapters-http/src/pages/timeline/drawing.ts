import { type Geometry, type Place } from "@place-access/domain/places"
import { Trace } from "@place-access/domain/timeline"
import type { Fix } from "@place-access/domain/fixes"
import { Html, html, nothing } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import * as Land from "../land/Land.js"

/**
 * This module draws the picture of a day on the server: the land, a circle with a name for each place where the person
 * was, and a line for the way. The picture needs no script, no tiles and no other server. For screen readers, the page
 * has a list of stays and ways.
 */

const WIDTH = 720
const HEIGHT = 420
const MARGIN = 36
/**
 * The smallest width of the area that the picture shows, in metres. Without this minimum, a day within one building
 * would fill the whole picture.
 */
const MIN_SPAN_M = 600
/**
 * The lines of the day have about this number of points together. In a picture that is 720 units wide, nobody could see
 * more points.
 */
const MAX_POINTS = 1_500

interface Drawn {
  readonly fixes: ReadonlyArray<Fix.Fix>
  /** The places where the person was on the drawn day. */
  readonly places: ReadonlyArray<Place.Place>
  readonly segments: ReadonlyArray<Trace.Segment>
}

export const draw = ({ fixes, places, segments }: Drawn): Html => {
  const stops = segments.flatMap((one) => (one.kind === "stop" ? [one.centre] : []))
  const view = viewOf([...fixes, ...places.map(({ circle }) => circle), ...stops])
  if (view === undefined) return nothing
  const project = Land.project(view)
  const lines = pieces(fixes, segments).map((piece) => share(piece, fixes.length).map(project))
  const labels = labelled(places, project)
  const town = isSmall(view) ? Land.nearestTown(view.centre) : null
  return html`<figure class="day">
    <svg class="drawn" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
      ${new Html(Land.ground(view))}
      ${places.map(({ circle }) => disc("place", project(circle), Math.max(circle.radiusM * view.unitsPerM, 6)))}
      ${lines.map((line) => new Html(`<polyline class="way" points="${line.map(({ x, y }) => `${round(x)},${round(y)}`).join(" ")}"/>`))}
      ${stops.map((stop) => disc("stop", project(stop), 5))} ${ends(lines)}
      ${new Html(Land.towns(view, { most: MOST_TOWNS, letter: LETTER, line: LABEL_HEIGHT, taken: labels }))}
      ${labels.map(({ text, x, y }) => html`<text x="${round(x)}" y="${round(y)}">${text}</text>`)}
      ${scale(view.unitsPerM)} ${inset(view, [...lines.flat(), ...labels, ...stops.map(project)])}
    </svg>
    ${town !== null && html`<figcaption>${texts.timeline.near(town)}</figcaption>`}
  </figure>`
}

/**
 * When a picture shows an area narrower than this, in metres, it hardly shows a coast or a town. So a small map in a
 * corner of the picture then shows a larger area.
 */
const SMALL_M = 40_000

const INSET = { width: 168, height: 112, unitsPerM: 168 / 120_000 }

/**
 * The small map with the land around the picture. The map takes the first empty one of three corners, and is left out
 * when none of the three is empty. The fourth corner has the scale.
 */
const inset = (view: Land.LandView, drawn: ReadonlyArray<Land.At>): Html => {
  if (!isSmall(view) || !Land.isOnMap(view.centre)) return nothing
  const { height, width } = INSET
  const corners = [
    { x: WIDTH - width, y: HEIGHT - height },
    { x: WIDTH - width, y: 0 },
    { x: 0, y: 0 }
  ]
  const isFree = (corner: Land.At) =>
    drawn.every(
      ({ x, y }) =>
        x < corner.x - MARGIN ||
        x > corner.x + width + MARGIN ||
        y < corner.y - MARGIN ||
        y > corner.y + height + MARGIN
    )
  const corner = corners.find(isFree)
  if (corner === undefined) return nothing
  const ground = Land.ground({ ...INSET, centre: view.centre })
  return new Html(
    `<svg class="inset" x="${corner.x}" y="${corner.y}" width="${width}" height="${height}"><rect class="water" width="${width}" height="${height}"/>${ground}<circle class="here" cx="${width / 2}" cy="${height / 2}" r="6"/><rect class="edge" width="${width}" height="${height}"/></svg>`
  )
}

const isSmall = ({ unitsPerM }: Land.LandView): boolean => WIDTH / unitsPerM < SMALL_M

const round = (value: number): number => Math.round(value * 10) / 10

const disc = (kind: string, { x, y }: Land.At, radius: number): Html =>
  new Html(`<circle class="${kind}" cx="${round(x)}" cy="${round(y)}" r="${round(radius)}"/>`)

/** Marks the first and the last position of the day. */
const ends = (lines: ReadonlyArray<ReadonlyArray<Land.At>>): Html => {
  const [begin, end] = [lines[0]?.[0], lines.at(-1)?.at(-1)]
  return begin === undefined || end === undefined ? nothing : html`${disc("begin", begin, 5)}${disc("end", end, 6)}`
}

/**
 * The pieces of the day's line. A piece ends at a gap and at a deleted stretch, because the service does not know the
 * way there.
 */
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
 * The points of a piece that the picture shows: the same share of `MAX_POINTS` that the piece has of all readings, and
 * at least both ends of the piece. Without both ends, a short piece would vanish beside thousands of other
 * readings.
 */
const share = (piece: ReadonlyArray<Fix.Fix>, all: number): ReadonlyArray<Fix.Fix> =>
  Trace.thinned(piece, Math.max(2, Math.floor((MAX_POINTS * piece.length) / Math.max(all, MAX_POINTS))))

/**
 * The part of the map that contains all points; undefined without points. Points on both sides of the date line are
 * shown side by side.
 */
const viewOf = (points: ReadonlyArray<Geometry.Point>): Land.LandView | undefined => {
  const [first] = points
  if (first === undefined) return undefined
  const begin = Land.worldOf(first)
  const near = (x: number) => begin.x + ((((x - begin.x + 0.5) % 1) + 1) % 1) - 0.5
  const all = points.map(Land.worldOf)
  const [horizontal, vertical] = [range(all.map(({ x }) => near(x))), range(all.map(({ y }) => y))]
  const centre = Land.pointOf({ x: horizontal.middle, y: vertical.middle })
  const worldM = Land.worldWidthM(centre.lat)
  const spanM = ({ span }: ReturnType<typeof range>) => Math.max(span * worldM, MIN_SPAN_M)
  const unitsPerM = Math.min((WIDTH - 2 * MARGIN) / spanM(horizontal), (HEIGHT - 2 * MARGIN) / spanM(vertical))
  return { centre, width: WIDTH, height: HEIGHT, unitsPerM }
}

const range = (values: ReadonlyArray<number>) => {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity])
  return { middle: (low + high) / 2, span: high - low }
}

/**
 * The size of letters on a phone, in units of the picture. On a phone, the picture is half as wide, and a letter takes
 * nearly twice as many units. So names that do not touch on a phone do not touch on a wider screen.
 */
const LABEL_HEIGHT = 28
const LETTER = 14
const MOST_TOWNS = 5

interface PlaceLabel extends Land.LandLabel {
  readonly text: string
}

/** The names of the places. A name that would lie on another name moves below that name. */
const labelled = (
  places: ReadonlyArray<Place.Place>,
  project: (point: Geometry.Point) => Land.At
): ReadonlyArray<PlaceLabel> => {
  const taken: Array<PlaceLabel> = []
  for (const { circle, label: text } of places) {
    const width = Math.min(text.length * LETTER, WIDTH - 8)
    const at = project(circle)
    const x = Math.min(Math.max(at.x, width / 2 + 4), WIDTH - width / 2 - 4)
    let y = Math.max(at.y - 12, LABEL_HEIGHT)
    while (taken.some((one) => Math.abs(one.x - x) < (one.width + width) / 2 && Math.abs(one.y - y) < LABEL_HEIGHT)) {
      y += LABEL_HEIGHT
    }
    taken.push({ text, x, y, width })
  }
  return taken
}

/** The scale: a bar whose length on the ground is a round number. The bar is at most a fifth of the picture wide. */
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

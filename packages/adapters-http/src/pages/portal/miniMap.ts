import type { Geometry } from "@place-access/domain/places"
import * as BaseMapTile from "../kit/BaseMapTile.js"
import { escape, Html, nothing } from "../../html/Html.js"

/**
 * The surroundings of a place as a small picture, drawn on the server from the base map: coasts, rivers, borders and
 * the nearest towns. It tells where a place is, not which street: the base map has no streets. It needs no script and
 * no other server. Decision places-5.
 */

const WIDTH = 240
const HEIGHT = 110
/** How much of the world the picture shows from left to right. */
const WIDTH_M = 90_000
const EQUATOR_M = 40_075_017
const TILES = 2 ** BaseMapTile.ZOOM
/** The map ends at this latitude (Web Mercator). */
const MAX_LATITUDE = 85

type At = readonly [x: number, y: number]

/** A position in units of the tiles of the closest zoom, counted from the north-west. */
const unitsOf = ({ lat, lon }: Geometry.Point): At => {
  const latitude = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180
  const whole = TILES * BaseMapTile.EXTENT
  return [((lon + 180) / 360) * whole, ((1 - Math.log(Math.tan(latitude / 2 + Math.PI / 4)) / Math.PI) / 2) * whole]
}

/** The tiles that the picture shows, each with the function from its units to the picture's. */
const around = (centre: Geometry.Point) => {
  const [x, y] = unitsOf(centre)
  const latitude = (Math.min(MAX_LATITUDE, Math.abs(centre.lat)) * Math.PI) / 180
  const metresPerUnit = (EQUATOR_M * Math.cos(latitude)) / (TILES * BaseMapTile.EXTENT)
  const scale = WIDTH / (WIDTH_M / metresPerUnit)
  const [left, top] = [x - WIDTH / 2 / scale, y - HEIGHT / 2 / scale]
  const tileOf = (units: number) => Math.floor(units / BaseMapTile.EXTENT)
  const columns = range(tileOf(left), tileOf(left + WIDTH / scale))
  const rows = range(tileOf(top), tileOf(top + HEIGHT / scale)).filter((row) => row >= 0 && row < TILES)
  return rows.flatMap((row) =>
    columns.map((column) => ({
      // The world repeats to the east and to the west.
      tile: BaseMapTile.read(((column % TILES) + TILES) % TILES, row),
      project: ([px, py]: At): At => [
        (column * BaseMapTile.EXTENT + px - left) * scale,
        (row * BaseMapTile.EXTENT + py - top) * scale
      ]
    }))
  )
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** What is cut off lies this far outside, so that no line along the cut is seen. */
const MARGIN = 6

/** The part of a ring within the picture (Sutherland and Hodgman): a coast has thousands of points elsewhere. */
const cut = (ring: ReadonlyArray<At>): ReadonlyArray<At> => {
  const edges: ReadonlyArray<(at: At) => number> = [
    ([x]) => x + MARGIN,
    ([x]) => WIDTH + MARGIN - x,
    ([, y]) => y + MARGIN,
    ([, y]) => HEIGHT + MARGIN - y
  ]
  return edges.reduce<ReadonlyArray<At>>(
    (points, inside) =>
      points.flatMap((point, index) => {
        const before = points[(index + points.length - 1) % points.length] ?? point
        const [a, b] = [inside(before), inside(point)]
        const crossing: ReadonlyArray<At> =
          a < 0 === b < 0
            ? []
            : [[before[0] + ((point[0] - before[0]) * a) / (a - b), before[1] + ((point[1] - before[1]) * a) / (a - b)]]
        return b < 0 ? crossing : [...crossing, point]
      }),
    ring
  )
}

/** The pieces of a line that come near the picture. */
const near = (line: ReadonlyArray<At>): ReadonlyArray<ReadonlyArray<At>> => {
  const pieces: Array<Array<At>> = []
  let piece: Array<At> | undefined
  for (const [index, point] of line.entries()) {
    const before = line[index - 1]
    if (before === undefined) continue
    const isNear =
      Math.max(before[0], point[0]) >= 0 &&
      Math.min(before[0], point[0]) <= WIDTH &&
      Math.max(before[1], point[1]) >= 0 &&
      Math.min(before[1], point[1]) <= HEIGHT
    if (!isNear) piece = undefined
    else if (piece === undefined) pieces.push((piece = [before, point]))
    else piece.push(point)
  }
  return pieces
}

const round = (value: number): string => String(Math.round(value * 10) / 10)

const path = (kind: string, lines: ReadonlyArray<ReadonlyArray<At>>, end: "" | "z"): string => {
  const d = lines
    .filter((line) => line.length > 1)
    .map((line) => `M${line.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}${end}`)
    .join("")
  return d === "" ? "" : `<path class="${kind}" d="${d}"/>`
}

const MOST_NAMES = 2
const LETTER = 6

/** The most important towns of the picture, none so near to another that their names touch. */
const towns = (tiles: ReturnType<typeof around>): string => {
  const found = tiles
    .flatMap(({ project, tile }) =>
      tile.names.filter(({ rank }) => rank > 0).map((one) => ({ ...one, at: project([one.x, one.y]) }))
    )
    .filter(({ at: [x, y], name }) => {
      const half = (name.length * LETTER) / 2
      return x > half && x < WIDTH - half && y > 18 && y < HEIGHT - 4
    })
    .sort((a, b) => a.rank - b.rank || b.weight - a.weight)
  const shown: Array<(typeof found)[number]> = []
  for (const one of found) {
    const isFree = shown.every(
      ({ at, name }) =>
        Math.abs(at[1] - one.at[1]) > 16 || Math.abs(at[0] - one.at[0]) > ((name.length + one.name.length) * LETTER) / 2
    )
    if (isFree && shown.length < MOST_NAMES) shown.push(one)
  }
  return shown
    .map(
      ({ at: [x, y], name }) =>
        `<circle class="town" cx="${round(x)}" cy="${round(y)}" r="2"/><text x="${round(x)}" y="${round(y - 5)}">${escape(name)}</text>`
    )
    .join("")
}

/** The picture. Screen readers get `nearestTown` and the coordinates instead. */
export const miniMap = (centre: Geometry.Point): Html => {
  if (Math.abs(centre.lat) > MAX_LATITUDE) return nothing
  const tiles = around(centre)
  // One path for each tile: tiles overlap, and in one path the overlap of two lands would be a hole.
  const rings = (name: string, kind: "land" | "lakes") =>
    tiles
      .map(({ project, tile }) =>
        path(
          name,
          tile[kind].map((ring) => cut(ring.map(project))),
          "z"
        )
      )
      .join("")
  const lines = (kind: "rivers" | "borders") =>
    tiles.flatMap(({ project, tile }) => tile[kind].flatMap((line) => near(line.map(project))))
  return new Html(
    `<svg class="mini" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${[
      rings("land", "land"),
      path("river", lines("rivers"), ""),
      rings("lake", "lakes"),
      path("border", lines("borders"), ""),
      towns(tiles)
    ].join("")}<circle class="here" cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="6"/></svg>`
  )
}

/** Farther away, a town says little about where a place is. */
const NEAR_M = 40_000

/** The town next to a point; null in the wilderness. The base map knows 7,300 towns, so it may be the next city. */
export const nearestTown = (centre: Geometry.Point): string | null => {
  if (Math.abs(centre.lat) > MAX_LATITUDE) return null
  const pixelsPerM = WIDTH / WIDTH_M
  const distances = around(centre).flatMap(({ project, tile }) =>
    tile.names
      .filter(({ rank }) => rank > 0)
      .map(({ name, x, y }) => {
        const [px, py] = project([x, y])
        return { name, metres: Math.hypot(px - WIDTH / 2, py - HEIGHT / 2) / pixelsPerM }
      })
  )
  const nearest = distances.reduce<(typeof distances)[number] | null>(
    (best, one) => (best === null || one.metres < best.metres ? one : best),
    null
  )
  return nearest !== null && nearest.metres <= NEAR_M ? nearest.name : null
}

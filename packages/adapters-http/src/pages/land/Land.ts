import type { Geometry } from "@place-access/domain/places"
import * as BaseMapTile from "./BaseMapTile.js"
import { escape } from "../../html/Html.js"

/**
 * This module draws the background of a picture as SVG on the server: coasts, rivers, borders and towns of the base
 * map. The picture needs no script and no other server. The base map has no streets, so a picture of a small area shows
 * little more than land and water.
 */

/** The part of the world that a picture shows: a rectangle around a point, in the Web Mercator projection. */
export interface LandView {
  readonly centre: Geometry.Point
  readonly width: number
  readonly height: number
  /** The scale at the centre of the picture: how many units of the picture one metre on the ground takes. */
  readonly unitsPerM: number
}

/** A position on the picture, in its units. */
export interface At {
  readonly x: number
  readonly y: number
}

const EQUATOR_M = 40_075_017
/** The base map reaches to this latitude in the north and in the south, in degrees. */
export const MAX_LATITUDE = 85

/** Whether the base map contains the latitude of the point. */
export const isOnMap = ({ lat }: Geometry.Point): boolean => Math.abs(lat) <= MAX_LATITUDE

/**
 * The position of a point on a square map of the whole world. Both coordinates go from 0 to 1, counted from the
 * north-west corner.
 */
export const worldOf = ({ lat, lon }: Geometry.Point): At => {
  const latitude = (Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, lat)) * Math.PI) / 180
  return { x: (lon + 180) / 360, y: (1 - Math.log(Math.tan(latitude / 2 + Math.PI / 4)) / Math.PI) / 2 }
}

/** The point at a position on the square map of the world. The inverse of `worldOf`. */
export const pointOf = ({ x, y }: At): Geometry.Point => ({
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
  lon: ((((x * 360) % 360) + 360) % 360) - 180
})

/** The length of the circle of latitude at `lat`, in metres. */
export const worldWidthM = (lat: number): number =>
  EQUATOR_M * Math.cos((Math.min(MAX_LATITUDE, Math.abs(lat)) * Math.PI) / 180)

/** The width of the whole world in units of the picture. */
const worldUnits = ({ centre, unitsPerM }: LandView): number => worldWidthM(centre.lat) * unitsPerM

/**
 * Makes a function from a point to its position on the picture. The map repeats to the east and to the west, so a point
 * has several positions. The function returns the position that is nearest to the centre.
 */
export const project = (view: LandView): ((point: Geometry.Point) => At) => {
  const [centre, units] = [worldOf(view.centre), worldUnits(view)]
  return (point) => {
    const { x, y } = worldOf(point)
    const east = ((((x - centre.x + 0.5) % 1) + 1) % 1) - 0.5
    return { x: view.width / 2 + east * units, y: view.height / 2 + (y - centre.y) * units }
  }
}

/** A tile of the base map, and a function that converts the tile's units to the picture's units. */
interface Placed {
  readonly tile: BaseMapTile.Tile
  readonly place: (at: Position) => Position
}

type Position = readonly [x: number, y: number]

/**
 * A tile is drawn at least this wide, in units of the picture. At about this width, the details of a tile are neither
 * too coarse nor too fine.
 */
const TILE_UNITS = 384

/** The tiles that the picture shows. */
const around = (view: LandView): ReadonlyArray<Placed> => {
  const units = worldUnits(view)
  const zoom = BaseMapTile.ZOOMS.findLast((one) => units / 2 ** one >= TILE_UNITS) ?? 0
  const tiles = 2 ** zoom
  const size = units / tiles
  const centre = worldOf(view.centre)
  const [left, top] = [centre.x * units - view.width / 2, centre.y * units - view.height / 2]
  const columns = range(Math.floor(left / size), Math.floor((left + view.width) / size))
  const rows = range(Math.floor(top / size), Math.floor((top + view.height) / size))
  return rows
    .filter((row) => row >= 0 && row < tiles)
    .flatMap((row) =>
      columns.map((column) => ({
        // The map repeats to the east and to the west, so the column is taken modulo the number of columns.
        tile: BaseMapTile.read(((column % tiles) + tiles) % tiles, row, zoom),
        place: ([x, y]: Position): Position => [
          (column + x / BaseMapTile.EXTENT) * size - left,
          (row + y / BaseMapTile.EXTENT) * size - top
        ]
      }))
    )
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/**
 * Shapes are cut off at this distance outside of the picture (in units of the picture), so that the line along the cut
 * is not visible.
 */
const MARGIN = 6

/**
 * The part of a ring within the picture (algorithm of Sutherland and Hodgman). A coast has thousands of points outside
 * of the picture, which the SVG does not need.
 */
const cut = ({ height, width }: LandView, ring: ReadonlyArray<Position>): ReadonlyArray<Position> => {
  const edges: ReadonlyArray<(at: Position) => number> = [
    ([x]) => x + MARGIN,
    ([x]) => width + MARGIN - x,
    ([, y]) => y + MARGIN,
    ([, y]) => height + MARGIN - y
  ]
  return edges.reduce<ReadonlyArray<Position>>(
    (points, inside) =>
      points.flatMap((point, index) => {
        const before = points[(index + points.length - 1) % points.length] ?? point
        const [a, b] = [inside(before), inside(point)]
        const crossing: ReadonlyArray<Position> =
          a < 0 === b < 0
            ? []
            : [[before[0] + ((point[0] - before[0]) * a) / (a - b), before[1] + ((point[1] - before[1]) * a) / (a - b)]]
        return b < 0 ? crossing : [...crossing, point]
      }),
    ring
  )
}

/** The pieces of a line that come near the picture. */
const near = ({ height, width }: LandView, line: ReadonlyArray<Position>): ReadonlyArray<ReadonlyArray<Position>> => {
  const pieces: Array<Array<Position>> = []
  let piece: Array<Position> | undefined
  for (const [index, point] of line.entries()) {
    const before = line[index - 1]
    if (before === undefined) continue
    const isNear =
      Math.max(before[0], point[0]) >= 0 &&
      Math.min(before[0], point[0]) <= width &&
      Math.max(before[1], point[1]) >= 0 &&
      Math.min(before[1], point[1]) <= height
    if (!isNear) piece = undefined
    else if (piece === undefined) pieces.push((piece = [before, point]))
    else piece.push(point)
  }
  return pieces
}

const round = (value: number): string => String(Math.round(value * 10) / 10)

/**
 * The smallest distance between two points of a drawn line, in units of the picture. Points that are nearer to each
 * other look like one point.
 */
const LEAST_STEP = 1.6

const thinned = (line: ReadonlyArray<Position>): ReadonlyArray<Position> => {
  const kept: Array<Position> = []
  for (const [index, point] of line.entries()) {
    const last = kept.at(-1)
    const isFar = last === undefined || Math.hypot(point[0] - last[0], point[1] - last[1]) >= LEAST_STEP
    if (isFar || index === line.length - 1) kept.push(point)
  }
  return kept
}

/**
 * In a picture that is wider than this number of units, coordinates are rounded to whole units. In other pictures they
 * are rounded to tenths.
 */
const LARGE = 400

const path = (
  { width }: LandView,
  kind: string,
  lines: ReadonlyArray<ReadonlyArray<Position>>,
  end: "" | "z"
): string => {
  const least = end === "z" ? 3 : 2
  const written = width > LARGE ? (value: number) => String(Math.round(value)) : round
  const d = lines
    .map(thinned)
    .filter((line) => line.length >= least)
    .map((line) => `M${line.map(([x, y]) => `${written(x)} ${written(y)}`).join("L")}${end}`)
    .join("")
  return d === "" ? "" : `<path class="${kind}" d="${d}"/>`
}

/**
 * The surfaces and lines of the picture as SVG, without names. Empty when the picture's centre is beyond the end of the
 * base map.
 */
export const ground = (view: LandView): string => {
  if (!isOnMap(view.centre)) return ""
  const tiles = around(view)
  // Each tile has a path of its own, because tiles overlap: in a common path, the overlap of two pieces of land would
  // be drawn as a hole.
  const rings = (name: string, kind: "land" | "lakes") =>
    tiles
      .map(({ place, tile }) =>
        path(
          view,
          name,
          tile[kind].map((ring) => cut(view, ring.map(place))),
          "z"
        )
      )
      .join("")
  const lines = (kind: "rivers" | "borders") =>
    tiles.flatMap(({ place, tile }) => tile[kind].flatMap((line) => near(view, line.map(place))))
  return [
    rings("land", "land"),
    path(view, "river", lines("rivers"), ""),
    rings("lake", "lakes"),
    path(view, "border", lines("borders"), "")
  ].join("")
}

/** A text on the picture. `x` and `y` are the middle of its base line. */
export interface LandLabel extends At {
  readonly width: number
}

interface Lettering {
  readonly most: number
  /** The width of a letter and the height of a line, in units of the picture. */
  readonly letter: number
  readonly line: number
  /** The labels that are already on the picture. The names of towns must not touch these labels. */
  readonly taken?: ReadonlyArray<LandLabel>
  /**
   * A point whose mark must cover no name. When the mark would cover the name of a town, the name is drawn below the
   * town instead.
   */
  readonly mark?: At
}

/** A name is usually above its town. A name below its town is this number of lines lower than the usual position. */
const BELOW = 1.2

/**
 * Draws the most important towns of the picture, at most `most`. Towns whose names would touch another name or the edge
 * of the picture are left out.
 */
export const towns = (view: LandView, { letter, line, mark, most, taken = [] }: Lettering): string => {
  if (!isOnMap(view.centre)) return ""
  const isUnderMark = (x: number, y: number, width: number): boolean =>
    mark !== undefined && Math.abs(x - mark.x) < width / 2 + 6 && y > mark.y - 6 && y - line < mark.y + 3
  const found = around(view)
    .flatMap(({ place, tile }) =>
      tile.names
        .filter(({ rank }) => rank > 0)
        .map(({ name, rank, weight, x, y }) => {
          const [px, py] = place([x, y])
          const width = name.length * letter
          const text = isUnderMark(px, py - 5, width) ? py + BELOW * line - 5 : py - 5
          return { name, rank, weight, x: px, y: text, town: py, width }
        })
    )
    .filter(({ width, x, y }) => x > width / 2 && x < view.width - width / 2 && y > line - 3 && y < view.height - 9)
    .sort((a, b) => a.rank - b.rank || b.weight - a.weight)
  const shown: Array<(typeof found)[number]> = []
  for (const one of found) {
    const isFree = [...taken, ...shown].every(
      ({ width, x, y }) => Math.abs(y - one.y) > line || Math.abs(x - one.x) > (width + one.width) / 2
    )
    if (isFree && shown.length < most) shown.push(one)
  }
  return shown
    .map(
      ({ name, town, x, y }) =>
        `<circle class="town" cx="${round(x)}" cy="${round(town)}" r="2"/><text class="town-name" x="${round(x)}" y="${round(y)}">${escape(name)}</text>`
    )
    .join("")
}

/**
 * A text names the nearest town to say where a point is. A town that is farther away from the point than this number of
 * metres is not named, because it would say little about where the point is.
 */
const NEAR_M = 40_000

/**
 * The town nearest to a point; null when no town is near. The base map has only 7,300 towns, so a town that the base
 * map lacks may be nearer.
 */
export const nearestTown = (centre: Geometry.Point): string | null => {
  if (!isOnMap(centre)) return null
  const view: LandView = { centre, width: 2 * NEAR_M, height: 2 * NEAR_M, unitsPerM: 1 }
  const distances = around(view).flatMap(({ place, tile }) =>
    tile.names
      .filter(({ rank }) => rank > 0)
      .map(({ name, x, y }) => {
        const [px, py] = place([x, y])
        return { name, metres: Math.hypot(px - NEAR_M, py - NEAR_M) }
      })
  )
  const nearest = distances.reduce<(typeof distances)[number] | null>(
    (best, one) => (best === null || one.metres < best.metres ? one : best),
    null
  )
  return nearest !== null && nearest.metres <= NEAR_M ? nearest.name : null
}

import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { crc32, deflateSync } from "node:zlib"
import * as Routes from "../Routes.js"

/**
 * The icon that iOS shows on the home screen: a PNG of 180 x 180 pixels, because iOS does not accept SVG for this icon.
 * This module draws the logo pixel by pixel, so the repository needs no image file. When the logo
 * (`Assets.mark`) changes, the coordinates in this module must change too.
 */

/** The path that browsers of iOS request by themselves when a page names no icon. */
export const PATH = "/apple-touch-icon.png"

const SIZE = 180
/** The size of the icon, in the form of a web app manifest. */
export const SIZES = `${SIZE}x${SIZE}`
/**
 * The margin around the logo, in pixels, because iOS rounds the corners of the icon. The logo is a square of 24 units.
 */
const MARGIN = 26
const UNIT = (SIZE - 2 * MARGIN) / 24
/** The colour of each pixel is the mean of 3 x 3 samples, which makes the edges smooth. */
const SAMPLES = 3

type Point = readonly [x: number, y: number]
type Colour = readonly [red: number, green: number, blue: number]

/** The colour behind the logo: `--accent` of the pages, which is also `theme_color` of the manifest. */
const GROUND: Colour = [0x17, 0x60, 0x4d]
const INK: Colour = [0xff, 0xff, 0xff]

const STEPS = 12

/** The points of a cubic Bézier curve, without its first point. */
const curve = (a: Point, b: Point, c: Point, d: Point): ReadonlyArray<Point> =>
  Array.from({ length: STEPS }, (_, index) => {
    const t = (index + 1) / STEPS
    const at = (axis: 0 | 1) =>
      (1 - t) ** 3 * a[axis] + 3 * (1 - t) ** 2 * t * b[axis] + 3 * (1 - t) * t ** 2 * c[axis] + t ** 3 * d[axis]
    return [at(0), at(1)]
  })

/**
 * The points of the right side of the pin below its round head, from the tip upwards. The left side is the mirror image
 * at x = 12.
 */
const SIDE: ReadonlyArray<Point> = [[12.6, 19.2], ...curve([12.6, 19.2], [13.8, 18.1], [19, 13.1], [19, 8.5])]

/** The points of the right half of the ring, from the open end of the ring to its lowest point. */
const RING: ReadonlyArray<Point> = [
  [17.5, 18.2],
  ...curve([17.5, 18.2], [19.5, 18.8], [20.8, 19.6], [20.8, 20.3]),
  ...curve([20.8, 20.3], [20.8, 21.6], [16.8, 22.5], [12, 22.5])
]

type Line = readonly [from: Point, to: Point]

const lines = (points: ReadonlyArray<Point>): ReadonlyArray<Line> =>
  points.slice(1).flatMap((to, index) => {
    const from = points[index]
    return from === undefined ? [] : [[from, to] as const]
  })

const SIDE_LINES = lines(SIDE)
const RING_LINES = lines(RING)

/** Half of the width of the pin at the height `y`, below the pin's head. */
const halfWidth = (y: number): number => {
  for (const [below, above] of SIDE_LINES) {
    if (y <= below[1] && y >= above[1]) {
      return below[0] - 12 + ((below[1] - y) / (below[1] - above[1])) * (above[0] - below[0])
    }
  }
  return y > 19.2 ? 0 : 0.6
}

const isOnPin = (x: number, y: number): boolean => {
  const fromHead = (x - 12) ** 2 + (y - 8.5) ** 2
  if (fromHead < 2.75 ** 2) return false
  return y <= 8.5 ? fromHead <= 7 ** 2 : y <= 19.4 && Math.abs(x - 12) <= halfWidth(y)
}

const isOnRing = (x: number, y: number): boolean =>
  // These bounds are a box around the ring. Most samples are outside of the box, and for these samples the function
  // need not compute the distance to each line.
  y > 17.3 &&
  y < 23.4 &&
  Math.abs(x - 12) < 9.7 &&
  RING_LINES.some(([from, to]) => square([12 + Math.abs(x - 12), y], from, to) <= 0.8 ** 2)

/** The square of the distance of a point from the line between two points. */
const square = ([x, y]: Point, [ax, ay]: Point, [bx, by]: Point): number => {
  const [dx, dy] = [bx - ax, by - ay]
  const along = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
  return (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2
}

/** The share of a pixel that the logo covers, from 0 to 1. */
const coverage = (column: number, row: number): number => {
  let covered = 0
  for (let index = 0; index < SAMPLES * SAMPLES; index++) {
    const x = (column + ((index % SAMPLES) + 0.5) / SAMPLES - MARGIN) / UNIT
    const y = (row + (Math.floor(index / SAMPLES) + 0.5) / SAMPLES - MARGIN) / UNIT
    if (isOnPin(x, y) || isOnRing(x, y)) covered++
  }
  return covered / (SAMPLES * SAMPLES)
}

/** The rows of the image, with three bytes for each pixel. Each row begins with a byte for its filter: 0, no filter. */
const pixels = (): Buffer => {
  const rows = Buffer.alloc(SIZE * (1 + SIZE * 3))
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE; column++) {
      const share = coverage(column, row)
      for (const channel of [0, 1, 2] as const) {
        rows[row * (1 + SIZE * 3) + 1 + column * 3 + channel] = Math.round(
          GROUND[channel] + share * (INK[channel] - GROUND[channel])
        )
      }
    }
  }
  return rows
}

const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

/** The PNG file, in true colour. The file has no transparent pixels, because iOS shows transparent pixels in black. */
export const draw = (): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIZE, 0)
  header.writeUInt32BE(SIZE, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels())),
    chunk("IEND", Buffer.alloc(0))
  ])
}

/** The icon is drawn at the first request, because most servers never get such a request. */
const show = Effect.map(Effect.cached(Effect.sync(draw)), (drawn) =>
  Effect.map(drawn, (bytes) =>
    HttpServerResponse.uint8Array(bytes, {
      contentType: "image/png",
      headers: { "cache-control": "public, max-age=86400" }
    })
  )
)

export const routes = [Routes.get(PATH, Effect.runSync(show))]

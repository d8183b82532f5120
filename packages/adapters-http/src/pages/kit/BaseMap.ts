import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { gunzipSync, gzipSync } from "node:zlib"
import * as Routes from "./Routes.js"

/**
 * The map that the service shows when no tile server is set: coasts, lakes, rivers, borders and names of Natural Earth
 * (public domain). `packages/adapters-http/base-map` makes the file, and its README says what the file contains.
 *
 * The format of the file: the length of the index (4 bytes, little-endian), the index as compressed JSON (rows of zoom,
 * column, row, offset and length in bytes), then the tiles, each compressed with gzip.
 */
const FILE = readFileSync(createRequire(import.meta.url).resolve("@place-access/adapters-http/base-map/base-map.bin"))

const BODIES = 4 + FILE.readUInt32LE(0)

type Row = readonly [zoom: number, column: number, row: number, offset: number, length: number]

const INDEX: ReadonlyMap<string, Buffer> = new Map(
  (JSON.parse(gunzipSync(FILE.subarray(4, BODIES)).toString()) as ReadonlyArray<Row>).map(
    ([zoom, column, row, offset, length]) => [
      `${zoom}/${column}/${row}`,
      FILE.subarray(BODIES + offset, BODIES + offset + length)
    ]
  )
)

/** The bytes of a tile of the open sea, which has no shapes and no names. */
const SEA = gzipSync(Buffer.alloc(5))

/** The compressed bytes of one tile. When the file does not have the tile, the tile is open sea. */
export const tile = (zoom: string, column: string, row: string): Buffer => INDEX.get(`${zoom}/${column}/${row}`) ?? SEA

const DIGEST = createHash("sha256").update(FILE).digest("base64url").slice(0, 12)

/**
 * The address of the tiles, with `{z}`, `{x}` and `{y}`. The address contains a digest of the file, so caches may keep
 * the tiles.
 */
export const address = `/assets/base-map.${DIGEST}/{z}/{x}/{y}`

const show = Effect.gen(function* () {
  const { column = "", row = "", zoom = "" } = yield* HttpRouter.params
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const bytes = tile(zoom, column, row)
  const isCompressed = /\bgzip\b/i.test(headers["accept-encoding"] ?? "")
  return HttpServerResponse.uint8Array(isCompressed ? bytes : gunzipSync(bytes), {
    contentType: "application/octet-stream",
    headers: {
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isCompressed ? { "content-encoding": "gzip" } : {})
    }
  })
})

export const routes = [Routes.get(`/assets/base-map.${DIGEST}/:zoom/:column/:row`, show)]

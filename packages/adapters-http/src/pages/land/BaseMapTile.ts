import { gunzipSync } from "node:zlib"
import * as BaseMap from "../kit/BaseMap.js"

/**
 * This module reads the tiles of the base map, from which the server draws small pictures. `base-map/tile.mjs` writes
 * the tiles.
 */

/** How many of its own units a tile is wide and high. */
export const EXTENT = 4096

/** The zoom levels that the base map has. Level 0 shows the whole world as one tile. */
export const ZOOMS = [0, 2, 4, 6] as const
export type Zoom = (typeof ZOOMS)[number]

/** The points of a ring or a line, in the units of the tile. Points may lie outside of the tile. */
export type TileLine = ReadonlyArray<readonly [x: number, y: number]>

export interface Tile {
  readonly land: ReadonlyArray<TileLine>
  readonly lakes: ReadonlyArray<TileLine>
  readonly rivers: ReadonlyArray<TileLine>
  readonly borders: ReadonlyArray<TileLine>
  /**
   * The names on the tile. A name of `rank` 0 is a country. Towns have greater ranks; the smaller the rank, the more
   * important the town.
   */
  readonly names: ReadonlyArray<{
    readonly x: number
    readonly y: number
    readonly rank: number
    readonly weight: number
    readonly name: string
  }>
}

export const decode = (bytes: Uint8Array): Tile => {
  let at = 0
  const unsigned = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 127) << shift
      if (byte <= 127) return value
    }
  }
  const signed = (): number => {
    const value = unsigned()
    return value & 1 ? -(value + 1) / 2 : value / 2
  }
  const lines = (): ReadonlyArray<TileLine> =>
    Array.from({ length: unsigned() }, () => {
      let [x, y] = [0, 0]
      return Array.from({ length: unsigned() }, () => {
        x += signed()
        y += signed()
        return [x, y] as const
      })
    })
  const [land, lakes, rivers, borders] = [lines(), lines(), lines(), lines()]
  const text = new TextDecoder()
  const names = Array.from({ length: unsigned() }, () => {
    const [x, y, rank, weight, length] = [unsigned(), unsigned(), unsigned(), unsigned(), unsigned()]
    return { x, y, rank, weight, name: text.decode(bytes.subarray(at, (at += length))) }
  })
  return { land, lakes, rivers, borders, names }
}

/**
 * A cache of the tiles that were read last from the file. For most people, one or two tiles contain all their places.
 */
const RECENT = new Map<string, Tile>()
const MOST_RECENT = 24

/** Reads a tile of the base map. A tile of the open sea, or beyond the poles, is empty. */
export const read = (column: number, row: number, zoom: Zoom): Tile => {
  const key = `${zoom}/${column}/${row}`
  const known = RECENT.get(key)
  if (known !== undefined) return known
  const tile = decode(gunzipSync(BaseMap.tile(String(zoom), String(column), String(row))))
  const [oldest] = RECENT.keys()
  if (RECENT.size >= MOST_RECENT && oldest !== undefined) RECENT.delete(oldest)
  RECENT.set(key, tile)
  return tile
}

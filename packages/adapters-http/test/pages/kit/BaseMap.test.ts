import * as BaseMap from "@place-access/adapters-http/pages/kit/BaseMap"
import { baseMapScript } from "@place-access/adapters-http/pages/kit/scripts/baseMapScript"
import { runInNewContext } from "node:vm"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { startWorld } from "../../support/World.js"

/** A replacement for the browser's `Path2D`. It records the points of the shapes in one layer of a tile. */
class Path2D {
  readonly points: Array<readonly [number, number]> = []
  moveTo(x: number, y: number): void {
    this.points.push([x, y])
  }
  lineTo(x: number, y: number): void {
    this.points.push([x, y])
  }
  closePath(): void {
    return undefined
  }
}

interface Tile {
  readonly land: Path2D
  readonly lakes: Path2D
  readonly rivers: Path2D
  readonly borders: Path2D
  readonly names: ReadonlyArray<{
    readonly name: string
    readonly rank: number
    readonly x: number
    readonly y: number
  }>
}

/** The function of the map's script that reads tiles. */
const decode = ((): ((bytes: Uint8Array) => Tile) => {
  const found = /const decode = [\s\S]*?\n {2}\}\n/.exec(baseMapScript)?.[0] ?? ""
  return runInNewContext(`const EXTENT = 4096\n${found}\ndecode`, { Path2D, TextDecoder })
})()

const tile = (zoom: number, column: number, row: number) =>
  decode(gunzipSync(BaseMap.tile(String(zoom), String(column), String(row))))

describe("the base map", () => {
  it("every tile of the file can be read: its points lie in it or a little outside, its names inside", () => {
    let shown = 0
    for (const zoom of [0, 2, 4, 6]) {
      for (let column = 0; column < 2 ** zoom; column++) {
        for (let row = 0; row < 2 ** zoom; row++) {
          const { borders, lakes, land, names, rivers } = tile(zoom, column, row)
          const points = [land, lakes, rivers, borders].flatMap(({ points }) => points)
          if (points.length > 0) shown++
          const outside = points.filter((point) => point.some((part) => part < -200 || part > 4300))
          expect({ zoom, column, row, outside }).toEqual({ zoom, column, row, outside: [] })
          expect(names.filter(({ name, x, y }) => name === "" || x > 1 || y > 1)).toEqual([])
        }
      }
    }
    expect(shown).toBeGreaterThan(2000)
  })

  it("shows towns of the whole world with the letters that they are written in", () => {
    const all = Array.from({ length: 64 * 64 }, (_, i) => tile(6, i >> 6, i & 63)).flatMap(({ names }) => names)
    const names = new Set(all.map(({ name }) => name))
    expect(["Amsterdam", "Zürich", "Reykjavík", "Nairobi", "Wellington"].filter((name) => !names.has(name))).toEqual([])
    expect(all.length).toBeGreaterThan(7000)
  })

  it("a tile of the open sea, and one that cannot be, is empty", () => {
    expect(tile(6, 8, 34).land.points).toEqual([])
    expect(tile(9, 0, 0).land.points).toEqual([])
  })

  it("is served to caches for good, also to a client that cannot decompress", async () => {
    const world = await startWorld()
    try {
      const at = `${world.url}${BaseMap.address.replace("{z}", "0").replace("{x}", "0").replace("{y}", "0")}`
      const answers = await Promise.all([fetch(at), fetch(at, { headers: { "accept-encoding": "identity" } })])
      for (const answer of answers) {
        expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        expect(answer.headers.get("vary")).toContain("accept-encoding")
        expect(decode(new Uint8Array(await answer.arrayBuffer())).land.points.length).toBeGreaterThan(1000)
      }
      expect(answers.map(({ headers }) => headers.get("content-encoding"))).toEqual(["gzip", null])
    } finally {
      await world.close()
    }
  })
})

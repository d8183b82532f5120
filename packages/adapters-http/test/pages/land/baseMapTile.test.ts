import { Timestamp } from "@place-access/domain/shared"
import { FastCheck } from "effect"
import { describe, expect, it } from "vitest"
import * as BaseMapTile from "@place-access/adapters-http/pages/land/BaseMapTile"
import * as Land from "@place-access/adapters-http/pages/land/Land"
import { miniMap } from "@place-access/adapters-http/pages/land/miniMap"

/**
 * The function `encodeTile` of the script that builds the base map. The cast gives it a type, because the script has no
 * types.
 */
const { encodeTile } = (await import(new URL("../../../base-map/tile.mjs", import.meta.url).href)) as {
  readonly encodeTile: (tile: object) => Uint8Array
}

/** The small map of a place, as text. The map is the same for every reader. */
const drawn = (centre: Parameters<typeof miniMap>[0]): string =>
  miniMap(centre).in({ language: "en", zone: null, now: Timestamp.make(0) })

const BERLIN = { lat: 52.52, lon: 13.405 }

describe("the base map on the server [places-5]", () => {
  it("reads what the build wrote", () => {
    const coordinate = FastCheck.integer({ min: -100, max: 4196 })
    const line = FastCheck.uniqueArray(FastCheck.tuple(coordinate, coordinate), {
      minLength: 3,
      maxLength: 8,
      selector: String
    })
    const lines = FastCheck.array(line, { maxLength: 4 })
    const town = FastCheck.record({
      x: FastCheck.nat(4095),
      y: FastCheck.nat(4095),
      rank: FastCheck.nat(12),
      weight: FastCheck.nat(40_000_000),
      name: FastCheck.string({ unit: "grapheme", maxLength: 12 })
    })
    const tile = FastCheck.record({
      land: lines,
      lakes: lines,
      rivers: lines,
      borders: lines,
      names: FastCheck.array(town, { maxLength: 4 })
    })
    FastCheck.assert(
      FastCheck.property(tile, ({ names, ...shapes }) => {
        // At zoom 0 the whole world is one tile, 4096 units wide.
        const world = (point: readonly [number, number]) => point.map((value) => value / BaseMapTile.EXTENT)
        const points = (all: typeof shapes.land) => all.map((one) => ({ points: one.map(world) }))
        const towns = names.map(({ x, y, ...one }) => ({ ...one, at: world([x, y]) }))
        const { borders, lakes, land, rivers } = shapes
        const bytes = encodeTile({
          x: 0,
          y: 0,
          z: 0,
          towns,
          borders: points(borders),
          lakes: points(lakes),
          land: points(land),
          rivers: points(rivers)
        })
        expect(BaseMapTile.decode(bytes)).toEqual({ ...shapes, names })
      })
    )
  })

  it("the window of a picture shows its centre in the middle, on both sides of the date line", () => {
    const view = { centre: { lat: -17, lon: 179.9 }, width: 200, height: 100, unitsPerM: 1 / 1_000 }
    const project = Land.project(view)
    expect(project(view.centre)).toEqual({ x: 100, y: 50 })
    const [west, east] = [project({ lat: -17, lon: 179.8 }), project({ lat: -17, lon: -180 })]
    expect(100 - west.x).toBeCloseTo(east.x - 100, 6)
    // The length of 0.1 degrees of longitude at 17 degrees south, in kilometres.
    expect(east.x - 100).toBeCloseTo(11.132 * Math.cos((17 * Math.PI) / 180), 2)
    const back = Land.pointOf(Land.worldOf(view.centre))
    expect(back.lat).toBeCloseTo(-17, 9)
    expect(back.lon).toBeCloseTo(179.9, 9)
  })

  it("has land and towns for a day within a town, and for one around the world, in a few kilobytes", () => {
    for (const widthM of [600, 5_000, 80_000, 900_000, 9_000_000, 40_000_000]) {
      const view = { centre: BERLIN, width: 720, height: 420, unitsPerM: 720 / widthM }
      const ground = Land.ground(view)
      expect(ground).toContain('class="land"')
      expect(ground.length).toBeLessThan(100_000)
      const labels = { most: 5, letter: 14, line: 28 }
      expect(Land.towns(view, labels).match(/<text/g)?.length ?? 0).toBeLessThanOrEqual(5)
      const taken = [{ x: 360, y: 210, width: 10_000 }]
      expect(Land.towns({ ...view, height: 30 }, { ...labels, taken: taken.map((one) => ({ ...one, y: 15 })) })).toBe(
        ""
      )
    }
  })

  it("knows the town next to a place, and none in the middle of the ocean", () => {
    expect(Land.nearestTown(BERLIN)).toBe("Berlin")
    expect(Land.nearestTown({ lat: 0, lon: -30 })).toBeNull()
  })

  it("draws every point of the earth, in a few kilobytes and within the picture", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.double({ min: -90, max: 90, noNaN: true }),
        FastCheck.double({ min: -180, max: 180, noNaN: true }),
        (lat, lon) => {
          const text = drawn({ lat, lon })
          expect(text).not.toMatch(/NaN|Infinity|undefined/)
          expect(text.length).toBeLessThan(20_000)
          for (const [, d = ""] of text.matchAll(/class="(?:land|lake)" d="([^"]*)"/g)) {
            for (const [x = 0, y = 0] of d
              .split(/[MLz]/)
              .filter(Boolean)
              .map((at) => at.split(" ").map(Number))) {
              expect([x >= -7 && x <= 247, y >= -7 && y <= 117]).toEqual([true, true])
            }
          }
        }
      ),
      { numRuns: 400 }
    )
  })

  it("the middle of the picture is land at a town, also where two tiles meet, and water in the sea", () => {
    /**
     * Whether the middle of the picture is land: then a ray from the middle to the left crosses the rings of a path an
     * odd number of times.
     */
    const isLand = (centre: typeof BERLIN) =>
      [...drawn(centre).matchAll(/class="land" d="([^"]*)"/g)].some(([, d = ""]) => {
        let crossings = 0
        for (const ring of d.split("z").filter(Boolean)) {
          const points = ring
            .slice(1)
            .split("L")
            .map((at) => at.split(" ").map(Number))
          points.forEach(([x = 0, y = 0], index) => {
            const [px = 0, py = 0] = points.at(index - 1) ?? []
            if (y > 55 !== py > 55 && x + ((55 - y) * (px - x)) / (py - y) < 120) crossings++
          })
        }
        return crossings % 2 === 1
      })
    const cities = [
      BERLIN,
      { lat: 48.137, lon: 11.575 },
      { lat: 40.417, lon: -3.704 },
      { lat: 39.74, lon: -104.99 },
      { lat: -26.2, lon: 28.05 }
    ]
    expect(cities.map(isLand)).toEqual(cities.map(() => true))
    // This point is inland, at the corner where four tiles meet.
    expect(isLand({ lat: 52.4827, lon: 39.375 })).toBe(true)
    expect(
      [
        { lat: 0, lon: -30 },
        { lat: 54.5, lon: 3 }
      ].map(isLand)
    ).toEqual([false, false])
  })

  it("shows land at a town and sea on the sea, on both sides of the date line", () => {
    expect(drawn(BERLIN)).toContain('class="land"')
    expect(drawn({ lat: 0, lon: -30 })).not.toContain('class="land"')
    const [west, east] = [drawn({ lat: -16.8, lon: 179.99 }), drawn({ lat: -16.8, lon: -179.99 })]
    expect([west, east]).toEqual([expect.stringContaining('class="land"'), expect.stringContaining('class="land"')])
  })
})

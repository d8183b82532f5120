import { mapScript } from "@place-access/adapters-http/pages/kit/scripts/mapScript"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"

/**
 * Tests of the private methods of Leaflet that the map's script replaces. Each test looks at the library alone, so a
 * failing test shows which entry of pages/kit/README.md an upgrade has broken.
 */
const SEE = "see packages/adapters-http/src/pages/kit/README.md"

/** A replacement for the image of a map tile. It records which addresses Leaflet loads into the image. */
class Image {
  readonly sources: Array<string> = []
  isRemoved = false
  readonly complete = false
  readonly parentNode = { removeChild: () => void (this.isRemoved = true) }
  setAttribute(name: string, value: string): void {
    if (name === "src") this.src = value
  }
  set src(value: string) {
    this.sources.push(value)
  }
}

interface Tile {
  readonly el: Image
  readonly coords: { readonly x: number; readonly y: number; readonly z: number }
}

/** A layer of map tiles, with the fields in which Leaflet keeps its tiles. */
interface Layer {
  _map: { readonly getZoom: () => number }
  _tiles: Record<string, Tile>
  _tileZoom: number
  readonly _abortLoading: () => void
  readonly _removeTile: (key: string) => void
  readonly _pruneTiles: () => void
  readonly _setView: (center: unknown, zoom: number) => void
  readonly on: (event: string, listener: () => void) => void
}

interface Leaflet {
  readonly TileLayer: {
    readonly extend: (methods: object) => new (url: string) => Layer
    readonly prototype: Layer
  }
  readonly GridLayer: { readonly prototype: Layer }
}

/** Loads Leaflet with the few parts of a browser that Leaflet needs in these tests. */
const load = (): Leaflet => {
  const exports = {}
  const element = () => ({ style: {}, setAttribute: () => undefined, getContext: () => null })
  runInNewContext(readFileSync(createRequire(import.meta.url).resolve("leaflet"), "utf8"), {
    exports,
    module: { exports },
    window: { screen: {} },
    navigator: { userAgent: "", platform: "" },
    document: { documentElement: { style: {} }, createElement: element, createElementNS: element },
    setTimeout,
    clearTimeout
  })
  return exports as Leaflet
}

const L = load()
const KEY = "0:0:3"

/**
 * A layer that shows one tile of zoom 3. The layer has the given `methods`, as the map's script gives methods to its
 * layer.
 */
const layerWith = (methods: object): { readonly layer: Layer; readonly image: Image } => {
  const layer = new (L.TileLayer.extend(methods))("https://tiles.example/{z}/{x}/{y}.png")
  const image = new Image()
  layer._map = { getZoom: () => 3 }
  layer._tiles = { [KEY]: { el: image, coords: { x: 0, y: 0, z: 3 } } }
  layer._tileZoom = 4
  return { layer, image }
}

describe("Leaflet", () => {
  it("loads an image from a data: address when it drops a tile, which the policy of the page does not allow", () => {
    const removed = layerWith({})
    removed.layer._removeTile(KEY)
    expect(removed.image.sources[0], `TileLayer._removeTile loads nothing: drop ours, ${SEE}`).toMatch(/^data:/)
    const aborted = layerWith({})
    aborted.layer._abortLoading()
    expect(aborted.image.sources[0], `TileLayer._abortLoading loads nothing: drop ours, ${SEE}`).toMatch(/^data:/)
  })

  it("drops a tile with _removeTile of GridLayer alone: image and entry go, the event comes, nothing is loaded", () => {
    const { image, layer } = layerWith({})
    let unloaded = 0
    layer.on("tileunload", () => unloaded++)
    L.GridLayer.prototype._removeTile.call(layer, KEY)
    expect([image.isRemoved, image.sources, layer._tiles, unloaded], `GridLayer._removeTile changed: ${SEE}`).toEqual([
      true,
      [],
      {},
      1
    ])
  })

  it("asks the layer's own _removeTile for each tile that it no longer shows", () => {
    const keys: Array<string> = []
    const { layer } = layerWith({ _removeTile: (key: string) => keys.push(key) })
    layer._pruneTiles()
    expect(keys, `Leaflet drops tiles in another way: ${SEE}`).toEqual([KEY])
  })

  it("asks the layer's own _abortLoading when the zoom changes", () => {
    const { layer } = layerWith({
      _abortLoading: () => {
        throw new Error("asked")
      }
    })
    expect(() => layer._setView([0, 0], 5), `Leaflet ends loading in another way: ${SEE}`).toThrow("asked")
  })
})

it("the map's script replaces both methods, and nothing else that begins with an underscore", () => {
  const replaced = /L\.TileLayer\.extend\(\{(.*?)\n {2}\}\)/s.exec(mapScript)?.[1] ?? ""
  expect(Array.from(replaced.matchAll(/^ {4}(\w+)\(/gm), ([, name]) => name)).toEqual(["_abortLoading", "_removeTile"])
})

/**
 * The part of the map's script that draws the map which the service ships (see `BaseMap.ts`): `L.baseMap(address)` is a
 * layer of Leaflet. The file of the base map has tiles for four zoom levels. For each zoom of the map, the layer uses
 * the highest of these levels that is not above the zoom. `base-map/tile.mjs` writes the bytes that `decode` reads.
 */
export const baseMapScript = `"use strict"
;(() => {
  if (typeof L === "undefined") return
  const EXTENT = 4096
  const levelOf = (zoom) => (zoom >= 6 ? 6 : zoom >= 4 ? 4 : zoom >= 2 ? 2 : 0)

  const decode = (bytes) => {
    let at = 0
    const unsigned = () => {
      let value = 0
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++]
        value |= (byte & 127) << shift
        if (!(byte > 127)) return value
      }
    }
    const signed = () => {
      const value = unsigned()
      return value & 1 ? -(value + 1) / 2 : value / 2
    }
    const shapes = (isClosed) => {
      const path = new Path2D()
      for (let left = unsigned(); left > 0; left--) {
        let [x, y] = [0, 0]
        const count = unsigned()
        for (let i = 0; i < count; i++) {
          x += signed()
          y += signed()
          if (i === 0) path.moveTo(x, y)
          else path.lineTo(x, y)
        }
        if (isClosed) path.closePath()
      }
      return path
    }
    const [land, lakes, rivers, borders] = [shapes(true), shapes(true), shapes(false), shapes(false)]
    const text = new TextDecoder()
    const names = Array.from({ length: unsigned() }, () => {
      const [x, y, rank, weight, length] = [unsigned(), unsigned(), unsigned(), unsigned(), unsigned()]
      return { x: x / EXTENT, y: y / EXTENT, rank, weight, name: text.decode(bytes.subarray(at, (at += length))) }
    })
    return { land, lakes, rivers, borders, names }
  }

  L.BaseMap = L.GridLayer.extend({
    initialize(address, options) {
      L.setOptions(this, options)
      this.address = address
      this.known = new Map()
    },
    // Returns a promise of a tile. The page stores the tile for as long as the page is open. After a failed download,
    // the next call downloads the tile again.
    data(z, x, y) {
      const key = z + "/" + x + "/" + y
      if (!this.known.has(key)) {
        const found = fetch(L.Util.template(this.address, { z, x, y }))
          .then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(answer.status)))
          .then((buffer) => {
            const tile = { z, x, y, ...decode(new Uint8Array(buffer)) }
            this.known.set(key + "!", tile)
            return tile
          })
        found.catch(() => this.known.delete(key))
        this.known.set(key, found)
      }
      return this.known.get(key)
    },
    createTile(coords, done) {
      const canvas = document.createElement("canvas")
      const dense = Math.min(3, window.devicePixelRatio || 1)
      const { x: width } = this.getTileSize()
      canvas.width = canvas.height = Math.round(width * dense)
      const z = levelOf(coords.z)
      const scale = 2 ** Math.max(0, coords.z - z)
      const across = 2 ** coords.z
      const column = ((coords.x % across) + across) % across
      const [x, y] = [Math.floor(column / scale), Math.floor(coords.y / scale)]
      if (coords.y < 0 || coords.y >= across) {
        setTimeout(() => done(null, canvas))
        return canvas
      }
      this.data(z, x, y).then(
        (tile) => {
          this.paint(canvas, tile, scale, column - x * scale, coords.y - y * scale, dense)
          done(null, canvas)
          this.fire("names")
        },
        (error) => done(error, canvas)
      )
      return canvas
    },
    paint(canvas, tile, scale, column, row, dense) {
      const context = canvas.getContext("2d")
      const style = getComputedStyle(this.getContainer())
      const colour = (name) => style.getPropertyValue("--map-" + name).trim()
      const size = (canvas.width / EXTENT) * scale
      const matrix = new DOMMatrix([size, 0, 0, size, -column * canvas.width, -row * canvas.width])
      const placed = (path) => {
        const own = new Path2D()
        own.addPath(path, matrix)
        return own
      }
      context.lineJoin = "round"
      const stroke = (path, name, wide, dash = []) => {
        context.strokeStyle = colour(name)
        context.lineWidth = wide * dense
        context.setLineDash(dash.map((one) => one * dense))
        context.stroke(path)
      }
      const land = placed(tile.land)
      context.fillStyle = colour("land")
      context.fill(land, "evenodd")
      stroke(land, "coast", 1)
      stroke(placed(tile.rivers), "water-line", 1)
      const lakes = placed(tile.lakes)
      context.fillStyle = colour("water")
      context.fill(lakes, "evenodd")
      stroke(lakes, "coast", 0.75)
      stroke(placed(tile.borders), "border", 1.25, [5, 3])
    },
    // Returns the names that are visible on the map, from the tiles that are loaded. The most important name comes
    // first.
    names(map) {
      const zoom = Math.round(map.getZoom())
      const z = levelOf(zoom)
      const least = [0, 0, 0, 2, 3, 5, 7, 8][zoom] ?? 12
      const bounds = map.getBounds()
      const found = []
      for (const [key, tile] of this.known) {
        if (!key.endsWith("!") || tile.z !== z) continue
        for (const { name, rank, weight, x, y } of tile.names) {
          if (rank > least || (rank === 0 && zoom > 5)) continue
          const point = L.point((tile.x + x) * 256, (tile.y + y) * 256)
          const at = map.unproject(point, z)
          // The map repeats to the east and to the west, so the same name can be visible at several places of the map.
          for (const turn of [-360, 0, 360]) {
            const here = L.latLng(at.lat, at.lng + turn)
            if (bounds.contains(here)) found.push({ at: here, name, rank, weight })
          }
        }
      }
      return found.sort((a, b) => a.rank - b.rank || b.weight - a.weight)
    },
    // Returns the town nearest to the middle of the map, from the tiles that are loaded. The map repeats to the east
    // and west: the returned longitude is that of the town's copy nearest to the middle, and may be beyond 180.
    nearest(map) {
      const middle = map.getCenter()
      let best
      for (const [key, tile] of this.known) {
        if (!key.endsWith("!") || tile.z !== 6) continue
        for (const { name, x, y } of tile.names) {
          const at = L.copyNear(map.unproject(L.point((tile.x + x) * 256, (tile.y + y) * 256), 6), middle)
          const metres = map.distance(middle, at)
          if (best === undefined || metres < best.metres) best = { name, at, metres }
        }
      }
      return best
    }
  })
  L.baseMap = (address, options) => new L.BaseMap(address, options)

  // The map repeats to the east and to the west, so each point has a copy in every repetition. This function returns
  // the copy nearest to the given middle. Its longitude may be beyond 180.
  L.copyNear = (at, middle) => L.latLng(at.lat, at.lng + 360 * Math.round((middle.lng - at.lng) / 360))
})()
`

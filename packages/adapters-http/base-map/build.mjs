// Makes `base-map.bin`, the map that the service draws when no tile server is set. README.md says from which packages
// the input comes and what the file contains.
//
//     node build.mjs FOLDER      FOLDER has the unpacked Debian packages and the npm package `world-atlas`
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { bordersOf, countriesOf, lakesOf, lineFeatures, ringFeatures, townsOf } from "./sources.mjs"
import { encodeTile, EXTENT } from "./tile.mjs"
import { clipLine, clipRing, project, simplify } from "./shapes.mjs"

const say = (line) => process.stdout.write(`${line}\n`)

const folder = process.argv[2]
if (folder === undefined) throw new Error("node build.mjs FOLDER")
const magics = (name) => join(folder, "usr/share/magics", name)

/**
 * The four levels of detail. The tiles of a level are drawn from its zoom `z` up to the zoom before the next level's
 * `z`. `scale` names the data set of Natural Earth: `50m` has the scale 1 to 50 million. `tolerance` is the greatest
 * distance between a simplified shape and the points that it leaves out. Land and lakes smaller than `smallest` are
 * left out. `tolerance` and `smallest` are fractions of a tile's width. Rivers with a rank above `rank` and towns with
 * a rank above `town` are left out.
 */
const LEVELS = [
  { z: 0, scale: "50m", tolerance: 1 / 1400, rank: 3, town: 2, smallest: 1 / 400 },
  { z: 2, scale: "50m", tolerance: 1 / 2000, rank: 5, town: 4, smallest: 1 / 600 },
  { z: 4, scale: "10m", tolerance: 1 / 2000, rank: 7, town: 7, smallest: 1 / 500 },
  { z: 6, scale: "10m", tolerance: 1 / 4000, rank: 20, town: 20, smallest: 1 / 2500 }
]

const projected = (features) => features.map(({ points, ...rest }) => ({ ...rest, points: points.map(project) }))

/**
 * Cuts the features into the tiles of zoom `z`. The function cuts the world into four squares, each square into four
 * again, and so on. It passes on only the features inside a square, so it does not compare every feature with every
 * tile.
 */
const spread = (features, clip, z, add) => {
  const cut = (some, zoom, x, y) => {
    if (some.length === 0) return
    const size = 1 / 2 ** zoom
    // The margin is wide enough that the cut edge of a shape lies outside the picture of the tile, where nobody sees
    // it.
    const margin = 2 ** -z / 32
    const box = [x * size - margin, y * size - margin, (x + 1) * size + margin, (y + 1) * size + margin]
    const inside = some.flatMap((one) => clip(one.points, box).map((points) => ({ ...one, points })))
    if (zoom === z) return void inside.forEach((one) => add(x, y, one))
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1]
    ])
      cut(inside, zoom + 1, 2 * x + dx, 2 * y + dy)
  }
  cut(features, 0, 0, 0)
}

const levelTiles = ({ rank, scale, smallest, tolerance, town, z }) => {
  const tiles = new Map()
  const tile = (x, y) => {
    const key = `${x}/${y}`
    if (!tiles.has(key)) tiles.set(key, { x, y, land: [], lakes: [], rivers: [], borders: [], towns: [] })
    return tiles.get(key)
  }
  const allowed = tolerance * 2 ** -z
  const simpler = (features) =>
    features.map((one) => ({ ...one, points: simplify(one.points, allowed) })).filter(({ points }) => points.length > 1)
  const large = ({ points }) => {
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]))
    return Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) > smallest * 2 ** -z
  }
  const rings = (features) => simpler(projected(features).filter(large)).filter(({ points }) => points.length > 3)
  const layer = (name, features, clip) => spread(features, clip, z, (x, y, one) => tile(x, y)[name].push(one))
  const ranked = (features) => simpler(projected(features.filter((one) => one.rank <= rank)))
  layer("land", rings(ringFeatures(magics(`${scale}/ne_${scale}_land`))), clipRing)
  layer("lakes", rings(lakesOf(join(folder, "usr/lib/R/site-library/maps/mapdata/lakes.L"))), clipRing)
  layer("rivers", ranked(lineFeatures(magics(`${scale}/ne_${scale}_rivers_lake_centerlines`))), clipLine)
  layer("borders", simpler(projected(bordersOf(magics(`${scale}/ne_${scale}_admin_0_boundary_lines_land`)))), clipLine)
  const names = [
    ...(z < 6 ? countriesOf(join(folder, "package/countries-110m.json")) : []),
    ...townsOf(magics("10m/ne_10m_populated_places_simple")).filter((one) => one.rank <= town)
  ]
  for (const { at, ...rest } of names) {
    const [x, y] = project(at)
    const [column, row] = [x, y].map((part) => Math.min(2 ** z - 1, Math.floor(part * 2 ** z)))
    tile(column, row).towns.push({ ...rest, at: [x, y] })
  }
  return [...tiles.values()].map((one) => ({ z, ...one }))
}

const tiles = LEVELS.flatMap((level) => levelTiles(level).map((one) => ({ level, ...one })))
const bodies = new Map()
const index = []
let offset = 0
const parts = []
for (const tile of tiles) {
  const encoded = encodeTile(tile)
  const body = gzipSync(encoded, { level: 9 })
  const key = body.toString("base64")
  // Tiles with the same bytes are stored once. Many tiles have the same bytes, for example all tiles that show only
  // land.
  if (!bodies.has(key)) {
    bodies.set(key, [offset, body.length])
    parts.push(body)
    offset += body.length
  }
  index.push([tile.z, tile.x, tile.y, ...bodies.get(key)])
}
const head = gzipSync(JSON.stringify(index), { level: 9 })
const length = Buffer.alloc(4)
length.writeUInt32LE(head.length)
const file = Buffer.concat([length, head, ...parts])
writeFileSync(join(import.meta.dirname, "base-map.bin"), file)
for (const { z } of LEVELS) {
  const own = index.filter(([zoom]) => zoom === z)
  const sizes = own.map((row) => row[4]).sort((a, b) => a - b)
  const sum = sizes.reduce((all, one) => all + one, 0)
  say(`zoom ${z}: ${own.length} tiles, ${sum} bytes, median ${sizes[sizes.length >> 1]}, largest ${sizes.at(-1)}`)
}
say(`${file.length} bytes, ${tiles.length} tiles of ${EXTENT} units`)

// Reads the shapes and names of Natural Earth out of the packages that README.md names.
import { readFileSync } from "node:fs"

/** Reads a dBASE file: one object for each row, whose values are trimmed texts. */
const table = (path, encoding) => {
  const bytes = readFileSync(path)
  const [rows, head, width] = [bytes.readUInt32LE(4), bytes.readUInt16LE(8), bytes.readUInt16LE(10)]
  const fields = []
  let start = 1
  for (let at = 32; bytes[at] !== 13; at += 32) {
    const name = bytes
      .toString("latin1", at, at + 11)
      .replace(/\0.*/s, "")
      .toLowerCase()
    fields.push({ name, start, end: (start += bytes[at + 16]) })
  }
  const decoder = new TextDecoder(encoding)
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(
      fields.map(({ end, name, start }) => {
        const at = head + row * width
        return [
          name,
          decoder
            .decode(bytes.subarray(at + start, at + end))
            .replaceAll("\0", "")
            .trim()
        ]
      })
    )
  )
}

/** The parts of every shape of a shape file: a list of lists of [longitude, latitude]. */
const shapes = (path) => {
  const bytes = readFileSync(path)
  const all = []
  for (let at = 100; at < bytes.length;) {
    const length = 2 * bytes.readUInt32BE(at + 4)
    all.push(partsAt(bytes, at + 8))
    at += 8 + length
  }
  return all
}

const partsAt = (bytes, at) => {
  const kind = bytes.readUInt32LE(at)
  const point = (start) => [bytes.readDoubleLE(start), bytes.readDoubleLE(start + 8)]
  if (kind === 1) return [[point(at + 4)]]
  if (kind !== 3 && kind !== 5) return []
  const [parts, points] = [bytes.readUInt32LE(at + 36), bytes.readUInt32LE(at + 40)]
  const starts = Array.from({ length: parts }, (_, i) => bytes.readUInt32LE(at + 44 + 4 * i))
  const first = at + 44 + 4 * parts
  return starts.map((start, i) =>
    Array.from({ length: (starts[i + 1] ?? points) - start }, (_, j) => point(first + 16 * (start + j)))
  )
}

export const ringFeatures = (path) =>
  shapes(`${path}.shp`)
    .flat()
    .map((points) => ({ points }))

export const lineFeatures = (path) => {
  const rows = table(`${path}.dbf`, "latin1")
  return shapes(`${path}.shp`).flatMap((parts, i) =>
    parts.map((points) => ({ points, rank: Number(rows[i].scalerank) }))
  )
}

/**
 * The borders of countries, on land only. Borders on water are left out: on the map they would be straight lines in the
 * sea.
 */
export const bordersOf = (path) => {
  const rows = table(`${path}.dbf`, "latin1")
  return shapes(`${path}.shp`).flatMap((parts, i) =>
    /water|lease/i.test(rows[i].type ?? "") ? [] : parts.map((points) => ({ points }))
  )
}

/** How important a name is among the names of the same rank, as a small integer. A `size` of 0 gives 0. */
const weightOf = (size) => Math.round(10 * Math.log2(1 + size))

/**
 * Towns with a rank from 1 to 11: the rank of Natural Earth plus 1, because rank 0 is for the names of countries.
 * Natural Earth has -99 for the number of people of a town when the number is unknown; such a number counts as 0.
 */
export const townsOf = (path) => {
  const rows = table(`${path}.dbf`, "windows-1252")
  return shapes(`${path}.shp`).flatMap((parts, i) => {
    const { name, pop_max: people, scalerank } = rows[i]
    const at = parts[0]?.[0]
    if (at === undefined || name === "") return []
    return [{ at, name, rank: 1 + Number(scalerank), weight: weightOf(Math.max(0, Number(people)) / 100) }]
  })
}

/**
 * Reads the lakes from a binary file of the R package `maps`. The file has the number of lines, the offset and the
 * length of each line, and then the points in radians.
 */
export const lakesOf = (path) => {
  const bytes = readFileSync(path)
  const degrees = (at) => (bytes.readFloatLE(at) * 180) / Math.PI
  return Array.from({ length: bytes.readUInt32LE(4) }, (_, i) => {
    const [offset, count] = [bytes.readUInt32LE(8 + 28 * i), bytes.readUInt32LE(12 + 28 * i)]
    return { points: Array.from({ length: count }, (_, j) => [degrees(offset + 8 * j), degrees(offset + 8 * j + 4)]) }
  })
}

/**
 * The names of countries. The position of a name is the middle of the largest part of the country. The file is
 * TopoJSON.
 */
export const countriesOf = (path) => {
  const { arcs, objects, transform } = JSON.parse(readFileSync(path, "utf8"))
  const { scale, translate } = transform
  const lines = arcs.map((arc) => {
    let [x, y] = [0, 0]
    return arc.map(([dx, dy]) => {
      ;[x, y] = [x + dx, y + dy]
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
    })
  })
  const ring = (own) => own.flatMap((arc) => (arc < 0 ? lines[~arc].toReversed() : lines[arc]))
  return objects.countries.geometries.flatMap(({ arcs: own, properties: { name }, type }) => {
    if (type !== "Polygon" && type !== "MultiPolygon") return []
    const rings = (type === "Polygon" ? [own] : own).map((polygon) => ring(polygon[0]))
    // A ring that is 180 or more degrees wide crosses the 180th meridian. Its middle would be on the wrong side of the
    // world, so it is left out if there are other rings.
    const whole = rings.filter((own) => Math.max(...own.map(([x]) => x)) - Math.min(...own.map(([x]) => x)) < 180)
    const middles = (whole.length > 0 ? whole : rings).map(centroid).toSorted((a, b) => b.area - a.area)
    // The larger a country, the more important its name: the map shows important names first.
    return [{ at: middles[0].at, name, rank: 0, weight: weightOf(middles[0].area) }]
  })
}

const centroid = (ring) => {
  let [twice, x, y] = [0, 0, 0]
  ring.forEach(([bx, by], i) => {
    const [ax, ay] = ring.at(i - 1)
    const cross = ax * by - bx * ay
    twice += cross
    x += (ax + bx) * cross
    y += (ay + by) * cross
  })
  return { area: Math.abs(twice / 2), at: [x / (3 * twice), y / (3 * twice)] }
}

// Geometry for build.mjs. A point is [x, y] on the square of the Web Mercator projection: x goes from 0 in the west to
// 1 in the east, y from 0 in the north to 1 in the south.

const LATITUDE_MAX = 85.05112878

export const project = ([lon, lat]) => {
  const limited = Math.max(-LATITUDE_MAX, Math.min(LATITUDE_MAX, lat))
  const sine = Math.sin((limited * Math.PI) / 180)
  return [lon / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
}

/**
 * Simplifies a line with the algorithm of Douglas and Peucker: leaves out the points that are nearer than `tolerance`
 * to the simplified line.
 */
export const simplify = (points, tolerance) => {
  const keep = new Uint8Array(points.length)
  keep[0] = keep[points.length - 1] = 1
  const spans = [[0, points.length - 1]]
  while (spans.length > 0) {
    const [from, to] = spans.pop()
    let [furthest, distance] = [-1, tolerance * tolerance]
    for (let i = from + 1; i < to; i++) {
      const own = squaredDistance(points[i], points[from], points[to])
      if (own > distance) [furthest, distance] = [i, own]
    }
    if (furthest < 0) continue
    keep[furthest] = 1
    spans.push([from, furthest], [furthest, to])
  }
  return points.filter((_, i) => keep[i] === 1)
}

const squaredDistance = ([px, py], [ax, ay], [bx, by]) => {
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx * dx + dy * dy
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / length))
  return (px - ax - t * dx) ** 2 + (py - ay - t * dy) ** 2
}

/**
 * For each side of a box, two functions: the first tells whether a point is on the inner side, the second returns the
 * point where a line crosses the side.
 */
const sides = ([left, top, right, bottom]) => [
  [([x]) => x >= left, (a, b) => at(a, b, (left - a[0]) / (b[0] - a[0]))],
  [([x]) => x <= right, (a, b) => at(a, b, (right - a[0]) / (b[0] - a[0]))],
  [([, y]) => y >= top, (a, b) => at(a, b, (top - a[1]) / (b[1] - a[1]))],
  [([, y]) => y <= bottom, (a, b) => at(a, b, (bottom - a[1]) / (b[1] - a[1]))]
]

const at = (a, b, t) => [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]

/**
 * Cuts a ring at the sides of a box (Sutherland and Hodgman). When the box cuts a ring into two pieces, the result is
 * still one ring: edges along the side of the box connect the pieces.
 */
export const clipRing = (ring, box) => {
  let points = ring
  for (const [inside, crossing] of sides(box)) {
    const next = []
    for (let i = 0; i < points.length; i++) {
      const [before, here] = [points.at(i - 1), points[i]]
      if (inside(before) !== inside(here)) next.push(crossing(before, here))
      if (inside(here)) next.push(here)
    }
    points = next
  }
  return points.length < 3 ? [] : [points]
}

export const clipLine = (line, box) => {
  let lines = [line]
  for (const [inside, crossing] of sides(box)) {
    lines = lines.flatMap((points) => {
      const parts = []
      let part = []
      for (let i = 0; i < points.length; i++) {
        const here = points[i]
        if (i > 0 && inside(points[i - 1]) !== inside(here)) {
          part.push(crossing(points[i - 1], here))
          if (!inside(here)) {
            parts.push(part)
            part = []
          }
        }
        if (inside(here)) part.push(here)
      }
      return part.length > 0 ? [...parts, part] : parts
    })
  }
  return lines.filter((points) => points.length > 1)
}

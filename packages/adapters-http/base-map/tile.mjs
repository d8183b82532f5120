// Writes the bytes of one tile. Two functions named `decode` read these bytes: one in the pages' script
// (baseMapScript.ts), one in BaseMapTile.ts.

/** A tile is this many units wide. */
export const EXTENT = 4096

/**
 * Numbers are integers, written as LEB128 varints; signed numbers are zigzag-encoded first. A tile has five lists:
 * rings of land, rings of lakes, rivers, borders, names. Each list begins with its length. A shape is the number of its
 * points and the points, each as the difference from the point before. A name is x, y, rank, weight, the number of its
 * bytes, and its text in UTF-8. Among the names of one rank, the name with the greatest weight is the most important.
 */
export const encodeTile = ({ borders, lakes, land, rivers, towns, x, y, z }) => {
  const bytes = []
  const unsigned = (value) => {
    if (!(value >= 0)) throw new Error(`${value} cannot be written`)
    let rest = value
    while (rest > 127) {
      bytes.push((rest & 127) | 128)
      rest >>>= 7
    }
    bytes.push(rest)
  }
  const signed = (value) => unsigned(value < 0 ? -2 * value - 1 : 2 * value)
  const inTile = ([px, py]) => [Math.round((px * 2 ** z - x) * EXTENT), Math.round((py * 2 ** z - y) * EXTENT)]
  const shapes = (all, least) => {
    const drawn = all
      .map(({ points }) => points.map(inTile).filter((own, i, same) => i === 0 || String(own) !== String(same[i - 1])))
      .filter((points) => points.length >= least)
    unsigned(drawn.length)
    for (const points of drawn) {
      unsigned(points.length)
      let [atX, atY] = [0, 0]
      for (const [px, py] of points) {
        signed(px - atX)
        signed(py - atY)
        ;[atX, atY] = [px, py]
      }
    }
  }
  shapes(land, 3)
  shapes(lakes, 3)
  shapes(rivers, 2)
  shapes(borders, 2)
  unsigned(towns.length)
  for (const { at, name, rank, weight } of towns) {
    const [px, py] = inTile(at)
    const text = Buffer.from(name, "utf8")
    unsigned(px)
    unsigned(py)
    unsigned(rank)
    unsigned(weight)
    unsigned(text.length)
    bytes.push(...text)
  }
  return Buffer.from(bytes)
}

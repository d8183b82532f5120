/** Files in packed and binary formats, which the tests build in the shape of real files. */

/** A tar archive (ustar), as `tar` writes it. */
export const tarFile = (files: ReadonlyArray<{ readonly name: string; readonly content: Uint8Array }>): Uint8Array => {
  const blocks = files.flatMap(({ content, name }) => {
    const header = Buffer.alloc(512)
    header.write(name.slice(0, 100), 0)
    header.write("0000644\0", 100)
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124)
    header.write("0", 156)
    header.write("ustar\u000000", 257)
    return [header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1_024)])
}

const EPOCH_S = 631_065_600
const semicircles = (degrees: number): number => Math.round((degrees * 2 ** 31) / 180)

/**
 * A FIT file with a definition, a record, a record with a compressed time, a record without a position, and a message
 * of another kind with fields of a developer. `type` is the kind of file in its `file_id` (4: an activity, 6: a
 * course); absent: the file has no `file_id`.
 */
export const fitFile = (isBig: boolean, type?: number): Uint8Array => {
  const number = (value: number, size: number): Buffer => {
    const bytes = Buffer.alloc(size)
    const unsigned = value < 0 ? value + 2 ** (8 * size) : value
    if (isBig) bytes.writeUIntBE(unsigned, 0, size)
    else bytes.writeUIntLE(unsigned, 0, size)
    return bytes
  }
  const definition = (local: number, message: number, fields: ReadonlyArray<readonly [number, number, number]>) =>
    Buffer.concat([
      Buffer.from([0x40 | local, 0, isBig ? 1 : 0]),
      number(message, 2),
      Buffer.from([fields.length, ...fields.flat()])
    ])
  const position = (lat: number, lon: number, speed: number): Buffer =>
    Buffer.concat([number(lat, 4), number(lon, 4), number((408 + 500) * 5, 2), number(speed, 2), Buffer.from([4])])
  const start = Date.parse("2021-05-01T06:00:00Z") / 1_000 - EPOCH_S
  const fields = [
    [0, 4, 0x85],
    [1, 4, 0x85],
    [2, 2, 0x84],
    [6, 2, 0x84],
    [31, 1, 2]
  ] as const
  const other = definition(3, 18, [[5, 3, 2]])
  other[0] = 0x63
  const body = Buffer.concat([
    ...(type === undefined ? [] : [definition(2, 0, [[0, 1, 0]]), Buffer.from([2, type])]),
    definition(0, 20, [[253, 4, 0x86], ...fields]),
    Buffer.from([0]),
    number(start, 4),
    position(semicircles(47.3769), semicircles(8.5417), 5_000),
    definition(1, 20, fields),
    Buffer.from([0x80 | (1 << 5) | ((start + 31) & 0x1f)]),
    position(semicircles(-33.8688), semicircles(151.2093), 0xffff),
    other,
    Buffer.from([1, 0, 2, 0]),
    Buffer.from([3, 1, 2, 3, 9, 9]),
    Buffer.from([0]),
    number(start + 5, 4),
    position(0x7fffffff, 0x7fffffff, 0)
  ])
  const header = Buffer.alloc(14)
  header[0] = 14
  header[1] = 0x20
  header.writeUInt32LE(body.length, 4)
  header.write(".FIT", 8)
  return Buffer.concat([header, body, Buffer.alloc(2)])
}

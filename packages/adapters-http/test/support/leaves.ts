/** Every text of a language file that is no function, with its name: `today.where.heading`. */
export const leaves = (node: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> =>
  typeof node === "string"
    ? [[path, node]]
    : typeof node === "object" && node !== null
      ? Object.entries(node).flatMap(([name, child]) => leaves(child, path === "" ? name : `${path}.${name}`))
      : []

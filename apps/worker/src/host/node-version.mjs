// What a program begins with, before it loads anything that an older Node could not: plain JavaScript that every version reads.

/** As `engines` in package.json says; a test compares the two. */
const REQUIRED = "20.19"

/**
 * @param {string} version such as "20.19.0"
 * @returns {boolean}
 */
const isNewEnough = (version) => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [majorNeeded = 0, minorNeeded = 0] = REQUIRED.split(".").map(Number)
  return major > majorNeeded || (major === majorNeeded && minor >= minorNeeded)
}

/** Ends the process with a sentence on a Node that is too old. */
export const requireNode = () => {
  const { version } = process
  if (isNewEnough(version.slice(1))) return
  process.stderr.write(
    `This is Node.js ${version}. The service needs Node.js ${REQUIRED} or newer: https://nodejs.org\n`
  )
  process.exit(78)
}

// The first module of a program, in JavaScript that old versions of Node can load, too. It runs before modules that an
// old Node cannot load.

/** The oldest version of Node that can run the programs, as `engines` in package.json says; a test compares the two. */
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

/** Ends the process with a message when Node is too old. */
export const requireNode = () => {
  const { version } = process
  if (isNewEnough(version.slice(1))) return
  process.stderr.write(
    `This is Node.js ${version}. The service needs Node.js ${REQUIRED} or newer: https://nodejs.org\n`
  )
  process.exit(78)
}

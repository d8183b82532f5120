/**
 * An import of an archive has one device for each device of the archive, and the stays of an import are also derived
 * from the fixes that the user had already (decisions exports-7 and imports-2).
 */
export const statements = [
  // The device of the import to which this device belongs; null for all other devices.
  `ALTER TABLE devices ADD COLUMN part_of text`,
  // The times of the earliest and the latest fix of the file that the user had already from another device.
  `ALTER TABLE devices ADD COLUMN shared_from timestamptz(3)`,
  `ALTER TABLE devices ADD COLUMN shared_until timestamptz(3)`
]

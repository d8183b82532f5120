// The devices of an imported file. Decisions imports-1 and exports-7.
import type * as Fix from "../fixes/Fix.js"
import type * as VisitReport from "../fixes/VisitReport.js"
import { DeviceId } from "../shared/Ids.js"
import type { Hash, Vault } from "../shared/Vault.js"

/**
 * The device that an import creates for a device of a file. Stays are derived for each device separately: if the
 * readings of a phone and of a tablet at home were mixed, each reading of the tablet would end the stay of the phone.
 */
export interface ImportedDevice {
  readonly id: DeviceId
  /** The hash of a text that is no token, so that nobody can upload as this device. */
  readonly tokenHash: Hash
}

/**
 * The device of an entry. `device` undefined: the entry belongs to the device that every import has
 * (`Import.deviceId`).
 */
export interface OfDevice {
  readonly device?: ImportedDevice | undefined
}

/**
 * A fix of a file, with its device. `alsoOf`: the other devices that have the same fix. In this list, undefined stands
 * for the device that every import has (`Import.deviceId`).
 */
export type ImportedFix = Fix.MarkedFix & OfDevice & { readonly alsoOf?: ReadonlyArray<ImportedDevice | undefined> }

/** A report of a visit in a file, with its device. */
export type ImportedVisit = VisitReport.VisitReport & OfDevice

/**
 * The most devices of a file that an import tells apart: the first, which becomes the device of the import (`finder`),
 * and 99 others, for each of which the import creates a device. The entries of all further devices belong to the device
 * of the import. Without a limit, a file that somebody made up could create a million devices.
 */
export const MOST = 100

/**
 * How many of the other devices that have the same fix (`ImportedFix.alsoOf`) an import stores at most. Storing one
 * other device takes as much work as storing the fix.
 */
export const MOST_ALSO = 20

/**
 * Returns a function that finds the imported device for `origin`, the id of a device in the file. The result undefined
 * stands for the device of the import (`importDevice`). This device gets the entries of the file's first device, the
 * entries of devices beyond `MOST`, and the entries that name no device. So the file of a single phone creates no other
 * device. A worker that reads the same file again finds the same devices.
 */
export const finder = (
  importDevice: DeviceId,
  { sha256 }: Pick<Vault["Type"], "sha256">
): ((origin: string | undefined) => ImportedDevice | undefined) => {
  const found = new Map<string, ImportedDevice | undefined>()
  return (origin) => {
    if (origin === undefined) return undefined
    if (!found.has(origin) && found.size < MOST) {
      const id = DeviceId.make(`dev_${sha256(`device ${importDevice} ${origin}`).slice(0, 24)}`)
      found.set(origin, found.size === 0 ? undefined : { id, tokenHash: sha256(`no token ${id}`) })
    }
    return found.get(origin)
  }
}

/** The entries of a file that belong to one device. */
export interface DeviceEntries extends OfDevice {
  readonly fixes: ReadonlyArray<ImportedFix>
  readonly visits: ReadonlyArray<ImportedVisit>
}

/**
 * Groups the fixes that several devices have, by each device in `alsoOf`. A group has a device and the fixes that list
 * this device in `alsoOf`. The store adds the device to `alsoFrom` of the stored fixes. It neither stores nor counts
 * these fixes a second time.
 */
export const alsoGrouped = ({ fixes }: Pick<DeviceEntries, "fixes">): ReadonlyArray<DeviceEntries> => {
  const copies = fixes.flatMap((fix) => (fix.alsoOf ?? []).map((device) => ({ ...fix, device })))
  return grouped({ fixes: copies, visits: [] }).filter((group) => group.fixes.length > 0)
}

/** The entries of a file, grouped by device. The device of the import comes first, even when it has no entries. */
export const grouped = ({ fixes, visits }: Omit<DeviceEntries, "device">): ReadonlyArray<DeviceEntries> => {
  const groups = new Map<DeviceId | undefined, { fixes: Array<ImportedFix>; visits: Array<ImportedVisit> } & OfDevice>([
    [undefined, { fixes: [], visits: [] }]
  ])
  const groupOf = ({ device }: OfDevice) => {
    const group = groups.get(device?.id) ?? { device, fixes: [], visits: [] }
    groups.set(device?.id, group)
    return group
  }
  for (const fix of fixes) groupOf(fix).fixes.push(fix)
  for (const visit of visits) groupOf(visit).visits.push(visit)
  return [...groups.values()]
}

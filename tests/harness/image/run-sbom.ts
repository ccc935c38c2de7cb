// `npm run -s sbom`: prints the SBOM of the image, in CycloneDX.
import { sbomHere } from './image.ts'

process.stdout.write(await sbomHere())

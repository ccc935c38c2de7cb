// Loads reflect-metadata.ts and then @peculiar/x509, which needs it. A separate file, so that it can be imported on first use.
import './reflect-metadata.ts'

export * as x509 from '@peculiar/x509'

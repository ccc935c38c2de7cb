// @peculiar/x509 after what it needs, as one value: a file of its own, so that it can be loaded when it is used.
import './reflect-metadata.ts'

export * as x509 from '@peculiar/x509'

// Package kafka holds the list of jars of the Kafka broker that tests run on.
package kafka

import _ "embed"

// POM is the Maven project that names the broker's pinned version.
//
//go:embed pom.xml
var POM []byte

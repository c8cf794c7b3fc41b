/** A Spring Boot service on Cassidy: it is the code of any other service on Spring Data JDBC. */
package dev.cassidy.examples.boot;

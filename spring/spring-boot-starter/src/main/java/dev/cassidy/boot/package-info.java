/**
 * Auto-configuration of Spring Boot. Applications set the properties of {@link dev.cassidy.boot.CassidyProperties} and use no
 * other type of this package.
 */
@NullMarked
package dev.cassidy.boot;

import org.jspecify.annotations.NullMarked;

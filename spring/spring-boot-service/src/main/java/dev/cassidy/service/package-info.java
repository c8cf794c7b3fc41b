/** A service that inserts in every way that Spring has, and tells over HTTP what came of it. */
@NullMarked
package dev.cassidy.service;

import org.jspecify.annotations.NullMarked;

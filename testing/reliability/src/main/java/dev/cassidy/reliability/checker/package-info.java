/** Judges what was issued. Depends on nothing but the JDK, so that it cannot share a mistake with what it judges. */
@NullMarked
package dev.cassidy.reliability.checker;

import org.jspecify.annotations.NullMarked;

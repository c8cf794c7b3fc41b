/**
 * Stands for the part of a JVM that copies processes: {@code org.crac} finds it by the system property {@code
 * org.crac.Core.Compat}, and by these names. It notifies what is registered, and copies nothing.
 */
@NullMarked
package dev.cassidy.crac;

import org.jspecify.annotations.NullMarked;

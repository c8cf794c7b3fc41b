/** What operators turn off for all processes of an installation, without a restart. */
@NullMarked
package dev.cassidy.toggle;

import org.jspecify.annotations.NullMarked;

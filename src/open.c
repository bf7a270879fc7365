/* SPDX-License-Identifier: Apache-2.0 */
typedef int open_unit;

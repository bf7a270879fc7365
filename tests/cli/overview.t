# A sample on a screen of 80 columns, and a piece of it.
$ cairn overview --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| 38617 instructions, 768 in a column
|                           |···············|···············|···············|··
| instruction               1               12289           24577           36865
| int                44.8%  █▆▆▆▆▆▆▆▆▆▇▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▅▅▄▂▄
| mul, div            0.3%  █▁                                             ▁▁ ▃
| load               16.8%   ▅▆▆▆▆▆▆▅▆▆▇▆▅▆▆▇▆▆▅▅▅▅▅▅▅▅▅▄▅▅▄▅▅▅▅▅▅▅▅▅▅▄▅▄▄██▆▅▄
| store              10.1%  █▄▃▃▂▄▄▄▂▄▅▄▃▃▄▅▄▄▆▅▃▆▃▃▆▃▅▄▂▂▃▇▃▅▄▂▆▅▅▄▂▃▃▂▂▂▅▁▁ ▁
| branch             23.1%  ▃▇███▇▇▇█▇▆▆▇▇▆▆▆▇▅▆▇▆▇▇▆▇▆▆██▇▆▇▆▆█▆▆▆▆▇█████▇█▆▅▅
| fp, vector          2.0%                                                 ▁▅█▅
| other               2.9%   ▆▇▇█▆▇▆█▆▃▃▇▇▅▄▄▆▃▂▃▂▃▄▂▃▂▂▅▅▄▁▃▂▂▅▂▂▂▂▄▄▅▅▆▅ ▁▁ ▂
| branches taken     39.4%  █▂▁▁▂▁▁▁▄▁▄▅▄▃▃▃▃▃▄▃▃▃▃▃▃▃▃▃▂▂▄▃▂▄▃▂▄▃▃▃▂▂▂▂▁▁▆▅██▆
| pages so far           3  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅████
| traps                 10                                                 █▃ ▅
| user                      aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
| merge_sort         47.4%                    ▁▇▇▇▇▇▇▇▇▇▆▆▇█▇▇▇▆▇▇▇▇▆▆▆▆▆▆▅    
| quick_sort         25.8%   ▅▅▅▅▆▆▆▅▆▇▇▆▆▆▆▇▆▆                                
| ascending           9.4%   ▂▃▃▃▂▂▂▃▂▁▁▃▂▂▂▁▂▁                                
| descending          7.8%                     ▁▁▁▁▁▁▁▁▁▂▂▁▁▁▁▁▂▁▁▁▁▂▂▂▂▂▂     
| mean                2.5%                                                 ▂▆▂ 
| fill                2.3%  █▁                                                 
| deviation           1.8%                                                  ▁▆▄
| mirrored            1.5%                                                ▃▃   
$ COLUMNS=50 cairn overview $EXAMPLES/sort.zstf 35000..
| 3618 instructions, 192 in a column
|                           |···············|···
| instruction               35000           38017
| int                31.2%  ██▆▆▆▅▅▆█▄▃▄▆▃▃▂▂▂▄█
| mul, div            0.9%         ▃▆  █      █ 
| load               19.8%  ▃▃▅▅▇██▆▄▅▅▄▅▅▅▃▄▃▃▃
| store               3.9%  ▂▂██▄  ▁▁  ▁▁     ▁ 
| branch             22.1%  ▇▆▅▅▆██▇▆▅▅▅▅▅▅▄▃▃▄▆
| fp, vector         21.6%           ▄▆▄▃▆▆███▅ 
| other               0.6%  ▃▂     ▁▁▁  ▁      █
| branches taken     76.1%  ▁▂██▅▄▄▄▆███▇██▇██▇ 
| pages so far           3  ▃▃▃▃▅▅▅█████████████
| traps                 10         ▃█▃  ▅      █
| 0x10000           100.0%  ████████████████████

# The numbers.
$ cairn overview --csv --table columns --width 4 $EXAMPLES/sort.zstf
| first,last,instructions,int,muldiv,load,store,branch,fp_vector,other,taken_percent,events,new_pages,pages,mode,cpu,process
| 1,9664,9664,43.6982616,0.993377483,17.1771523,10.8236755,23.013245,0,4.29428808,31.7122594,0,2,2,user,,
| 9665,19328,9664,45.6746689,0,17.3013245,12.0343543,22.1233444,0,2.86630795,38.0779692,0,0,2,user,,
| 19329,28992,9664,47.4441225,0,15.9147351,11.3824503,23.0546358,0,2.20405629,35.3067047,0,0,2,user,,
| 28993,38617,9625,42.2337662,0.332467532,16.6649351,6.30649351,24.1558442,8.1038961,2.2025974,48.0046948,10,1,3,user,,
needs: json
$ cairn overview --json --width 4 $EXAMPLES/sort.zstf | json summary.per_column functions.0.function columns.3.last
| 9664 0x10000 38617

# SPARC, with a trap.
$ cairn overview $EXAMPLES/traps.rst
| 10 instructions, 64 in a column
|                           |
| instruction               1
| int                50.0%  █
| load               20.0%  █
| store              10.0%  █
| branch             10.0%  █
| other              10.0%  █
| branches taken    100.0%  █
| pages so far           1  █
| traps                  2  █
| user                      a
| asid 677                  a
| 0x10000            70.0%  ▆
| 0x1000000          30.0%  ▂

# What makes no sense.
$ cairn overview --width 9999 $EXAMPLES/sort.zstf
! cairn: at most 512 columns
= 2

# A column for so many instructions, however many these are: as a table and as strips in
# rows of screens.
$ cairn overview --every 10000 --csv --table columns $EXAMPLES/sort.zstf | cut -d, -f1-4
| first,last,instructions,int
| 1,10000,10000,43.62
| 10001,20000,10000,45.95
| 20001,30000,10000,47.41
| 30001,38617,8617,41.6502263
$ cairn overview --every 1500 --width 16 --image $EXAMPLES/sort.elf $EXAMPLES/sort.zstf
| 38617 instructions, 1500 in a column
|                           |···············
| instruction               1
| int                44.8%  █▆▆▇▇▇▇▇▇▇▇█▇▇██
| mul, div            0.3%  █               
| load               16.8%  ▃▇▇▇▆▇▇▆▇▆▆▆▅▆▆▅
| store              10.1%  █▄▄▅▄▆▄▅▆▇▆▄▇▆▄▅
| branch             23.1%  ▅██▇█▆▇▇▆▆▇▇▇▇▇▇
| fp, vector          2.0%                  
| other               2.9%  ▃██▇█▄▆▆▅▃▂▃▂▃▄▄
| branches taken     39.4%  ▅▁▁▁▃▄▄▃▃▄▃▃▃▃▃▃
| pages so far           3  ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅
| traps                 10                  
| user                      aaaaaaaaaaaaaaaa
| merge_sort         47.4%           ▃▇▇▇▇▇▇
| quick_sort         25.8%  ▂▅▅▆▅▇▆▆▆▄      
| ascending           9.4%  ▁▃▃▂▃▁▂▂▂▁      
| descending          7.8%           ▁▁▁▁▁▁▁
| mean                2.5%                  
| fill                2.3%  ▅               
| deviation           1.8%                  
| mirrored            1.5%                  
|
|                           |·········
| instruction               24001
| int                44.8%  ▇██████▇▅▃
| mul, div            0.3%          ▂▁
| load               16.8%  ▆▆▆▆▆▅▅▆█▆
| store              10.1%  ▆▆▆▆▄▃▃▄▁▁
| branch             23.1%  ▇▇▇▇▇███▇▅
| fp, vector          2.0%          ▃█
| other               2.9%  ▃▃▃▃▄▅▅▃▁▁
| branches taken     39.4%  ▃▃▃▃▃▂▂▄▆█
| pages so far           3  ▅▅▅▅▅▅▅▅██
| traps                 10          █▃
| user                      aaaaaaaaaa
| merge_sort         47.4%  ▇▇▇▇▇▆▆▆  
| quick_sort         25.8%            
| ascending           9.4%            
| descending          7.8%  ▁▁▁▁▁▂▂▁  
| mean                2.5%          ▃▂
| fill                2.3%            
| deviation           1.8%          ▁▅
| mirrored            1.5%         ▁▂ 
$ cairn overview --every 10 -w 'n == 1 || n == 20000000' $EXAMPLES/sort.zstf | head -n 2
| 1 instructions, 10 in a column
|                           |

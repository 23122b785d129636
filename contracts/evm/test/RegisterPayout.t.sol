// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {PayoutHead, Split} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";

contract RegisterPayoutTest is Fixture {
    function _splits(uint256 count, uint16 bps) internal pure returns (Split[] memory splits) {
        splits = new Split[](count);
        for (uint256 i; i < count; ++i) {
            splits[i] = Split(address(uint160(0x9000 + i)), bps);
        }
    }

    function _refused(bytes memory problem, address to, uint16 feeBps, Split[] memory splits) internal {
        vm.prank(registrar);
        vm.expectRevert(problem);
        processor.registerPayout(50, to, feeBps, splits);
    }

    function test_termsCanBeReadBack() public {
        Split[] memory splits = _splits(8, 100);
        vm.expectEmit(address(processor));
        emit PayoutRegistered(50, merchant, 1_000, splits);
        _register(50, merchant, 1_000, splits);
        (PayoutHead memory head, Split[] memory read) = processor.payout(50);
        assertEq(head.merchant, merchant);
        assertEq(head.feeBps, 1_000);
        assertEq(head.splitCount, 8);
        assertEq(head.offAt, 0);
        assertEq(abi.encode(read), abi.encode(splits));
    }

    function test_termsOfAnIdNeverChange() public {
        vm.startPrank(registrar);
        vm.expectRevert(abi.encodeWithSelector(PayoutExists.selector, PLAIN));
        processor.registerPayout(PLAIN, stranger, 0, new Split[](0));
        processor.retirePayout(PLAIN);
        vm.warp(block.timestamp + 365 days);
        vm.expectRevert(abi.encodeWithSelector(PayoutExists.selector, PLAIN));
        processor.registerPayout(PLAIN, stranger, 0, new Split[](0));
        vm.stopPrank();
    }

    function test_feesAndSharesHaveTheirLimits() public {
        _refused(abi.encodeWithSelector(FeeTooHigh.selector, 1_001, 1_000), merchant, 1_001, _splits(0, 0));
        _refused(abi.encodeWithSelector(TooManySplits.selector, 9, 8), merchant, 0, _splits(9, 1));
        _refused(abi.encodeWithSelector(SharesTooHigh.selector, 10_001, 10_000), merchant, 1, _splits(8, 1_250));
        _register(50, merchant, 0, _splits(8, 1_250));
    }

    function test_recipientsMustBeSomebodyElse() public {
        _refused(abi.encodeWithSelector(InvalidRecipient.selector, address(0)), address(0), 0, _splits(0, 0));
        _refused(
            abi.encodeWithSelector(InvalidRecipient.selector, address(processor)), address(processor), 0, _splits(0, 0)
        );
        Split[] memory splits = _splits(2, 1);
        splits[1].to = address(0);
        _refused(abi.encodeWithSelector(InvalidRecipient.selector, address(0)), merchant, 0, splits);
        splits[1].to = address(processor);
        _refused(abi.encodeWithSelector(InvalidRecipient.selector, address(processor)), merchant, 0, splits);
    }

    function test_aSplitOfNothingIsAMistake() public {
        Split[] memory splits = _splits(2, 1);
        splits[1].bps = 0;
        _refused(abi.encodeWithSelector(EmptySplit.selector, 1), merchant, 0, splits);
    }
}
